//! Merges what iterations left into the context: the same is said once, the newest wins, what is over goes.
//!
//! Made from handoffs only, never from a summary. Takes no account of room: that is `bound`'s.

use super::{
    bag::Bag,
    change::{Change, change},
    context::{Context, FileNote, Statement},
    levels::{Record, first_sentence},
    similarity::{Lexicon, Relation},
};

/// Which list of the context a statement is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    Constraints,
    Decisions,
    Issues,
    Patterns,
}

pub(super) const TOPICS: [Topic; 4] =
    [Topic::Constraints, Topic::Decisions, Topic::Issues, Topic::Patterns];

/// A context that is being merged into, with its statements' words.
pub(super) struct Merging<'a> {
    context: &'a mut Context,
    bags: [Vec<Bag>; 4],
    lexicon: Lexicon,
}

/// Merges records, oldest first.
pub fn merge(context: &mut Context, records: &[Record]) {
    let mut merging = Merging::new(context);
    for record in records {
        merging.record(record);
    }
}

impl<'a> Merging<'a> {
    pub(super) fn new(context: &'a mut Context) -> Self {
        let mut lexicon = Lexicon::default();
        let bags = TOPICS.map(|topic| {
            let list = list(context, topic).iter();
            list.map(|one| Bag::of(&one.text)).inspect(|bag| lexicon.add(bag)).collect()
        });
        Self { context, bags, lexicon }
    }

    fn record(&mut self, record: &Record) {
        let now = record.iteration;
        let made = |text: &str, note: &str| Statement {
            note: note.to_owned(),
            task: record.task.clone(),
            ..Statement::new(text, now)
        };
        // What rejected work decided holds nowhere; what it found out about the world still does.
        if record.accepted {
            for text in &record.revoked {
                self.revoke(&whole(text), now);
            }
            for one in &record.deviations {
                let topic = self.revoke(&whole(&one.planned), now);
                let topic = topic.filter(|topic| *topic == Topic::Constraints);
                self.state(topic.unwrap_or(Topic::Decisions), made(&one.actual, &one.reason));
            }
            for text in &record.decisions {
                self.say(Topic::Decisions, made(text, ""));
            }
        }
        for one in &record.constraints {
            self.say(Topic::Constraints, made(&one.text, &one.note));
        }
        for text in &record.patterns {
            self.say(Topic::Patterns, made(text, ""));
        }
        self.issues(record, &made);
        self.work(record);
    }

    fn issues(&mut self, record: &Record, made: &dyn Fn(&str, &str) -> Statement) {
        if record.accepted && record.complete {
            let unfinished = |one: &Statement| one.task == record.task && one.note == UNFINISHED;
            self.remove(Topic::Issues, &unfinished);
        }
        for bug in &record.bugs {
            if bug.resolved {
                let bag = Bag::of(&bug.text);
                self.revoke_among(&[Topic::Issues], &Change::named(bag), record.iteration + 1);
            } else {
                self.state(Topic::Issues, made(&bug.text, ""));
            }
        }
        for one in &record.unfinished {
            self.state(Topic::Issues, made(&one.text, UNFINISHED));
        }
    }

    /// Completed work and the files it touched.
    fn work(&mut self, record: &Record) {
        let summary = first_sentence(&record.summary);
        for path in &record.files {
            let files = &mut self.context.files;
            let known = files.iter().position(|one| one.path == *path).map(|at| files.remove(at));
            let purpose = format!("{}: {summary}", record.task);
            files.push(FileNote {
                path: path.clone(),
                purpose,
                last: record.iteration,
                times: known.map_or(0, |known| known.times) + 1,
            });
        }
        if record.accepted {
            self.context.completed.retain(|one| one.task.is_empty() || one.task != record.task);
            self.context.completed.push(Statement {
                task: record.task.clone(),
                ..Statement::new(format!("{}: {summary}", record.task), record.iteration)
            });
        }
    }

    /// Takes a sentence: what it revokes goes, what it states is remembered.
    pub(super) fn say(&mut self, topic: Topic, statement: Statement) {
        if let Some(change) = change(&statement.text) {
            let is_known = self.revoke(&change, statement.last).is_some();
            if is_known && change.is_end {
                return;
            }
        }
        self.state(topic, statement);
    }

    /// Remembers a statement: once, in its newest words, and instead of what it contradicts.
    pub(super) fn state(&mut self, topic: Topic, mut statement: Statement) {
        let bag = Bag::of(&statement.text);
        if bag.words.is_empty() {
            return;
        }
        let own = &mut self.bags[topic as usize];
        let mut same = Vec::new();
        for (at, known) in own.iter().enumerate() {
            let is_text =
                list(self.context, topic).get(at).is_some_and(|one| one.text == statement.text);
            match self.lexicon.relation(&bag, known) {
                _ if is_text => same.push((at, true)),
                Relation::Same => same.push((at, true)),
                Relation::Instead => same.push((at, false)),
                Relation::Other => {}
            }
        }
        let mut replaced = Vec::new();
        for (at, is_same) in same.into_iter().rev() {
            let gone = own.remove(at);
            if !is_same {
                replaced.push(gone);
            }
            let known = list(self.context, topic).remove(at);
            if is_same {
                statement.since = statement.since.min(known.since);
                statement.times = statement.times.saturating_add(known.times);
                statement.last = statement.last.max(known.last);
                if statement.note.is_empty() {
                    statement.note = known.note;
                }
            }
        }
        // What says the same as a replaced one in other words is replaced as well.
        for gone in replaced {
            self.revoke_among(&[topic], &Change::named(gone), statement.last);
        }
        self.lexicon.add(&bag);
        self.bags[topic as usize].push(bag);
        list(self.context, topic).push(statement);
    }

    /// Removes what a change names, wherever it is; says where it was found.
    pub(super) fn revoke(&mut self, change: &Change, now: u32) -> Option<Topic> {
        self.revoke_among(&TOPICS, change, now)
    }

    fn revoke_among(&mut self, topics: &[Topic], change: &Change, now: u32) -> Option<Topic> {
        let mut places = Vec::new();
        for topic in topics {
            for (at, one) in list(self.context, *topic).iter().enumerate() {
                let bag = &self.bags[*topic as usize][at];
                // Nothing that this very iteration says is meant.
                let is_earlier = one.last < now || one.last == 0;
                if is_earlier && (!change.is_permission || bag.is_negative) {
                    places.push((*topic, at));
                }
            }
        }
        let bags: Vec<&Bag> =
            places.iter().map(|(topic, at)| &self.bags[*topic as usize][*at]).collect();
        let named = self.lexicon.named(&change.phrase, &change.must, &bags);
        let gone: Vec<(Topic, usize)> = named.into_iter().map(|at| places[at]).collect();
        for (topic, at) in gone.iter().rev() {
            self.bags[*topic as usize].remove(*at);
            list(self.context, *topic).remove(*at);
        }
        gone.first().map(|(topic, _)| *topic)
    }

    fn remove(&mut self, topic: Topic, is_gone: &dyn Fn(&Statement) -> bool) {
        let statements = list(self.context, topic);
        let gone: Vec<bool> = statements.iter().map(is_gone).collect();
        let mut at = gone.iter();
        statements.retain(|_| !at.next().copied().unwrap_or(false));
        let mut at = gone.iter();
        self.bags[topic as usize].retain(|_| !at.next().copied().unwrap_or(false));
    }
}

/// The note of an issue that is a loose end of its task.
const UNFINISHED: &str = "unfinished";

/// A statement that is revoked as a whole, in whatever words.
pub(super) fn whole(text: &str) -> Change {
    change(text).unwrap_or_else(|| Change::named(Bag::of(text)))
}

fn list(context: &mut Context, topic: Topic) -> &mut Vec<Statement> {
    match topic {
        Topic::Constraints => &mut context.constraints,
        Topic::Decisions => &mut context.decisions,
        Topic::Issues => &mut context.issues,
        Topic::Patterns => &mut context.patterns,
    }
}
