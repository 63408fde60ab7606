//! Simple commands: expanded, shown to the rules, unwrapped, and their effects remembered.

use super::{outputs, unwrap::unwrap, walker::Walker};
use crate::{
    call::{Call, Inner},
    marks::{self, DECODED, HOLE, NET},
    rules,
    syntax::Simple,
    verdict::Walk,
};

impl Walker {
    /// Walks a simple command with what is redirected around it.
    pub(super) fn simple(&mut self, simple: &Simple, around: &Call) -> Walk<String> {
        let mut env = Vec::new();
        for assignment in &simple.assignments {
            let values: Walk<Vec<String>> =
                assignment.values.iter().map(|word| self.text_of(word)).collect();
            let mut value = values?.join(" ");
            if assignment.appends {
                value.insert_str(0, &self.frame.var(&assignment.name).replace(HOLE, ""));
            }
            env.push((assignment.name.clone(), marks::bounded(value)));
        }
        let mut words = Vec::new();
        for word in &simple.words {
            words.extend(self.fields(word)?);
        }
        if words.is_empty() {
            rules::check_assignments(&env, &self.frame)?;
            rules::check(around, &self.frame)?;
            self.frame.vars.extend(env);
            return Ok(String::new());
        }
        self.call(&Call { env, ..around.with_words(words) })
    }

    /// One call: judged, then what it calls, then what it leaves behind.
    fn call(&mut self, call: &Call) -> Walk<String> {
        self.step()?;
        if let Some(printed) = self.function(call)? {
            return Ok(printed);
        }
        rules::check(call, &self.frame)?;
        if rules::is_excepted(call, &self.frame) {
            return Ok(HOLE.to_string());
        }
        let mut printed = None;
        for inner in unwrap(call, &self.frame) {
            printed = Some(self.deeper(|walker| walker.inner(call, inner))?);
        }
        self.effects(call);
        Ok(printed.unwrap_or_else(|| outputs::of(call, self)))
    }

    fn inner(&mut self, call: &Call, inner: Inner) -> Walk<String> {
        match inner {
            Inner::Words(words, env) => {
                let mut inner = call.with_words(words);
                inner.redirects.clear();
                inner.env.extend(env);
                self.call(&inner)
            }
            Inner::Script(text, args) => {
                rules::check_program_text(&text, call, &self.frame)?;
                if text.contains([NET, DECODED]) && !text.contains([' ', '\n', ';']) {
                    return Ok(HOLE.to_string());
                }
                let stdin = call.stdin.as_deref();
                if call.is("eval source . trap") {
                    return self.text(&text, stdin);
                }
                self.subshell(|walker| {
                    if let Some((name, args)) = args.split_first() {
                        walker.frame.vars.insert("0".into(), name.clone());
                        walker.frame.args = args.to_vec();
                    }
                    walker.text(&text, stdin)
                })
            }
        }
    }

    /// A function that the command defined itself.
    fn function(&mut self, call: &Call) -> Walk<Option<String>> {
        let Some(body) = self.frame.functions.remove(&call.program) else { return Ok(None) };
        self.called.push(call.program.clone());
        let args = std::mem::replace(&mut self.frame.args, call.args.clone());
        let printed = self.deeper(|walker| walker.command(&body, call.stdin.as_deref()))?;
        self.frame.functions.insert(call.program.clone(), body);
        self.frame.args = args;
        Ok(Some(printed))
    }
}
