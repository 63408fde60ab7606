//! The named filters that filters can use: the pure part of jq's library, its loops counted.

use jaq_core::{
    Cv, Exn, ValXs,
    box_iter::box_once,
    load::parse::Def,
    native::{Fun, bome, run, v},
};
use jaq_json::Val;

use super::{expressions, state::Data};

/// Loops of jq with a count in every round; nothing else in the library can go on for ever.
const LOOPS: &str = r"
def repeat(f): def rec: count_round as $x | f, rec; rec;
def recurse(f): def rec: count_round as $x | ., (f | rec); rec;
def while(cond; update): def rec: count_round as $x | if cond then ., (update | rec) else {}[] end; rec;
def until(cond; update): def rec: count_round as $x | if cond then . else update | rec end; rec;
def range($from; $to; $by): plain_range($from; $to; $by) as $x | count_round as $y | $x;
";

/// Definitions that are not taken, by name and number of arguments: those above instead, those that need functions
/// for dates, mathematics, logs and encodings, and one whose outputs grow without a loop.
pub(super) const LEFT_OUT: [(&str, usize); 27] = [
    ("repeat", 1),
    ("recurse", 1),
    ("while", 2),
    ("until", 2),
    ("combinations", 0),
    ("combinations", 1),
    ("stderr", 0),
    ("debug", 0),
    ("debug", 1),
    ("halt", 0),
    ("halt_error", 0),
    ("halt_error", 1),
    ("logb", 0),
    ("significand", 0),
    ("pow10", 0),
    ("drem", 2),
    ("nexttoward", 2),
    ("scalb", 2),
    ("gamma", 0),
    ("todate", 0),
    ("fromdate", 0),
    ("@html", 0),
    ("@htmld", 0),
    ("@uri", 0),
    ("@urid", 0),
    ("@base64", 0),
    ("@base64d", 0),
];

/// Filters that are written in jq.
pub(super) fn definitions() -> impl Iterator<Item = Def<&'static str>> {
    let loops = jaq_core::load::parse(LOOPS, |parser| parser.defs()).unwrap_or_default();
    let library = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    let taken = |def: &Def<&'static str>| !LEFT_OUT.contains(&(def.name, def.args.len()));
    loops.into_iter().chain(library.filter(taken))
}

/// Filters that are written in Rust.
pub(super) fn functions() -> impl Iterator<Item = Fun<Data>> {
    let core = jaq_core::funs().map(|(name, args, function)| match name {
        "range" => ("plain_range", args, function),
        _ => (name, args, function),
    });
    // `halt` has no meaning here, and jaq's `fromjson` reads any depth.
    let json = jaq_std::base_funs().chain(jaq_json::funs());
    let json = json.filter(|(name, ..)| !matches!(*name, "halt" | "fromjson"));
    core.chain(json).chain(expressions::functions()).chain([
        run::<Data>(("count_round", v(0), count_round)),
        run(("fromjson", v(0), |(_, value)| bome(from_json(&value)))),
    ])
}

fn count_round((context, value): Cv<'_, Data>) -> ValXs<'_, Val> {
    let rounds = context.data().rounds;
    let left = rounds.get().checked_sub(1);
    rounds.set(left.unwrap_or(0));
    // Unlike an error, this cannot be caught by the filter.
    box_once(left.map(|_| value).ok_or_else(|| Exn::halt(0)))
}

fn from_json(value: &Val) -> jaq_json::ValR {
    let (Val::TStr(bytes) | Val::BStr(bytes)) = value else {
        return Err(jaq_core::Error::str("only text can be read as JSON"));
    };
    serde_json::from_slice(bytes).map_err(jaq_core::Error::str)
}
