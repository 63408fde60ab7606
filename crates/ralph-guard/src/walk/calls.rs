//! Simple commands: expanded, shown to the rules, unwrapped, and their effects remembered.

use super::{outputs, scripts::Around, unwrap::unwrap, walker::Walker};
use crate::{
    call::{Call, Inner},
    denial::Walk,
    marks::{self, DECODED, HOLE, NET},
    rules,
    syntax::Simple,
};

impl Walker {
    pub(super) fn simple(&mut self, simple: &Simple, around: &Around) -> Walk<String> {
        let mut env = Vec::new();
        for assignment in &simple.assignments {
            let mut values = Vec::new();
            for word in &assignment.values {
                values.push(self.text_of(word)?);
            }
            let mut value = values.join(" ");
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
            self.frame.vars.extend(env);
            self.check_redirects(around)?;
            self.keep_output(around, "");
            return Ok(String::new());
        }
        let is_piped = std::mem::take(&mut self.is_piped);
        let mut call = Call::new(words);
        call.env = env;
        call.stdin.clone_from(&around.stdin);
        call.redirects.clone_from(&around.files);
        call.is_piped = is_piped;
        let printed = self.call(&call)?;
        self.is_piped = is_piped;
        self.keep_output(around, &printed);
        Ok(printed)
    }

    /// Redirections without a program of their own.
    pub(super) fn check_redirects(&mut self, around: &Around) -> Walk<()> {
        let mut call = Call::new(vec![":".into()]);
        call.redirects.clone_from(&around.files);
        rules::check(&call, &self.frame)
    }

    /// One call: judged, then what it calls, then what it leaves behind.
    pub(super) fn call(&mut self, call: &Call) -> Walk<String> {
        self.step()?;
        if let Some(printed) = self.own_word(call)? {
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
        match printed {
            Some(printed) => Ok(printed),
            None => Ok(outputs::of(call, self)),
        }
    }

    fn inner(&mut self, call: &Call, inner: Inner) -> Walk<String> {
        match inner {
            Inner::Words(words, env) => {
                let mut inner = call.with_words(words);
                inner.redirects.clear();
                inner.env.extend(env);
                self.call(&inner)
            }
            Inner::Script(text, args) => self.inner_script(call, &text, args),
        }
    }

    /// A text that a shell will run.
    fn inner_script(&mut self, call: &Call, text: &str, args: Vec<String>) -> Walk<String> {
        rules::check_program_text(text, call, &self.frame)?;
        if marks::is_unknown(text)
            && !text.contains([' ', '\n', ';'])
            && text.contains([NET, DECODED])
        {
            return Ok(HOLE.to_string());
        }
        let frame = self.frame.clone();
        let mut args = args.into_iter();
        if let Some(name) = args.next() {
            self.frame.vars.insert("0".into(), name);
        }
        if args.len() > 0 {
            self.frame.args = args.collect();
        }
        let printed = self.text(text, call.stdin.as_deref())?;
        if !call.is("eval source . trap") {
            let files = std::mem::take(&mut self.frame.files);
            self.frame = frame;
            self.frame.files = files;
        }
        Ok(printed)
    }

    /// A function or an alias that the command defined itself.
    fn own_word(&mut self, call: &Call) -> Walk<Option<String>> {
        if let Some(body) = self.frame.functions.get(&call.program).cloned() {
            self.called.push(call.program.clone());
            let args = std::mem::replace(&mut self.frame.args, call.args.clone());
            let own = self.frame.functions.remove(&call.program);
            let printed = self.deeper(|walker| walker.command(&body, call.stdin.as_deref()))?;
            if let Some(own) = own {
                self.frame.functions.insert(call.program.clone(), own);
            }
            self.frame.args = args;
            return Ok(Some(printed));
        }
        if let Some(text) = self.frame.aliases.remove(&call.program) {
            let rest = call.args.join(" ");
            return self.text(&format!("{text} {rest}"), call.stdin.as_deref()).map(Some);
        }
        Ok(None)
    }
}
