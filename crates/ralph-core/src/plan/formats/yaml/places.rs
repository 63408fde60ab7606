//! Where in a YAML text the fields of its tasks are. Finds, and changes nothing.

use std::{collections::BTreeMap, ops::Range};

use granit_parser::{Event, Parser, ScalarStyle, Span};

use super::super::loose::{TASK_LISTS, plain};

/// One task's fields, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Place {
    pub(super) fields: Vec<Field>,
    /// Written as `{…}`.
    pub(super) is_flow: bool,
}

/// A field whose value is one scalar.
#[derive(Debug)]
pub(super) struct Field {
    /// Its name as all spellings have it.
    pub(super) name: String,
    /// Column of the name.
    pub(super) column: usize,
    /// Bytes of the value, with its quotes.
    pub(super) value: Range<usize>,
    /// What it says.
    pub(super) text: String,
    pub(super) style: ScalarStyle,
    /// Name and value are on the same line.
    pub(super) is_one_line: bool,
}

/// What a collection that is not finished is to us.
enum Open {
    /// The document's own map.
    Root { key: Option<String> },
    /// A list of tasks under this name.
    List { name: String },
    /// One task.
    Task { key: Option<(String, Span)>, place: Place },
    /// Anything else; how deep.
    Other(usize),
}

/// Where a scalar is, and its bytes if they may be changed.
type At = (Span, Option<Range<usize>>);

#[derive(Default)]
struct Finder {
    open: Vec<Open>,
    lists: BTreeMap<String, Vec<Place>>,
}

/// The places of the tasks, one for each item of their list: without fields where it is no map.
pub(super) fn tasks(text: &str) -> Vec<Place> {
    let mut finder = Finder::default();
    for event in Parser::new_from_str(text) {
        let Ok((event, span)) = event else { break };
        if matches!(event, Event::DocumentEnd) {
            break;
        }
        finder.take(event, span, text);
    }
    let mut names = [""].iter().chain(TASK_LISTS);
    names.find_map(|name| finder.lists.remove(*name)).unwrap_or_default()
}

impl Finder {
    fn take(&mut self, event: Event<'_>, span: Span, text: &str) {
        match event {
            Event::Scalar(said, style, anchor, _) => {
                // Whoever changes an anchored value changes it everywhere.
                let value = span.byte_range().filter(|_| anchor == 0);
                self.scalar(&said, style, (span, value), text);
            }
            Event::Alias(_) => self.passed(),
            Event::SequenceStart(..) => self.sequence(),
            Event::MappingStart(..) => {
                let is_flow = span.byte_range().and_then(|range| text.get(range.start..));
                self.mapping(is_flow.is_some_and(|text| text.starts_with('{')));
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            _ => {}
        }
    }

    fn scalar(&mut self, said: &str, style: ScalarStyle, at: At, text: &str) {
        let (span, value) = at;
        match self.open.last_mut() {
            Some(Open::Root { key: key @ None }) => *key = Some(plain(said)),
            Some(Open::Task { key: key @ None, .. }) => *key = Some((plain(said), span)),
            Some(Open::Task { key, place }) => {
                if let (Some((name, start)), Some(value)) = (key.take(), value) {
                    let value = if value.is_empty() { behind(start, text) } else { value };
                    place.fields.push(Field {
                        name,
                        column: start.start.col(),
                        value,
                        text: said.to_owned(),
                        style,
                        is_one_line: start.start.line() == span.end.line(),
                    });
                }
            }
            _ => self.passed(),
        }
    }

    /// A value whose inside does not matter.
    fn passed(&mut self) {
        match self.open.last_mut() {
            Some(Open::Root { key }) => *key = None,
            Some(Open::Task { key, .. }) => *key = None,
            Some(Open::List { name }) => {
                let name = name.clone();
                self.lists.entry(name).or_default().push(Place::default());
            }
            Some(Open::Other(_)) | None => {}
        }
    }

    fn sequence(&mut self) {
        let list = match self.open.last_mut() {
            None => Some(String::new()),
            Some(Open::Root { key }) => {
                key.clone().filter(|key| TASK_LISTS.contains(&key.as_str()))
            }
            _ => None,
        };
        match list {
            Some(name) => {
                self.lists.entry(name.clone()).or_default();
                self.open.push(Open::List { name });
            }
            None => self.deeper(),
        }
    }

    fn mapping(&mut self, is_flow: bool) {
        match self.open.last_mut() {
            None => self.open.push(Open::Root { key: None }),
            Some(Open::List { .. }) => {
                let place = Place { is_flow, ..Place::default() };
                self.open.push(Open::Task { key: None, place });
            }
            _ => self.deeper(),
        }
    }

    fn deeper(&mut self) {
        match self.open.last_mut() {
            Some(Open::Other(depth)) => *depth += 1,
            _ => self.open.push(Open::Other(1)),
        }
    }

    fn end(&mut self) {
        match self.open.pop() {
            Some(Open::Other(depth)) if depth > 1 => self.open.push(Open::Other(depth - 1)),
            Some(Open::Task { place, .. }) => {
                if let Some(Open::List { name }) = self.open.last() {
                    self.lists.entry(name.clone()).or_default().push(place);
                }
            }
            Some(_) => self.passed(),
            None => {}
        }
    }
}

/// Where the value of a name that says nothing would be: right behind the colon.
fn behind(name: Span, text: &str) -> Range<usize> {
    let end = name.byte_range().map_or(0, |range| range.end);
    let colon = text.get(end..).and_then(|rest| rest.find(':')).unwrap_or_default();
    end + colon + 1..end + colon + 1
}
