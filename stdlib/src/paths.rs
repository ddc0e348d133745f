//! Path globs, with the meaning they have in a `.gitignore`: a pattern without a slash matches at any depth, a folder
//! stands for everything in it, `**` spans folders, a later `!pattern` takes back.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use runmill_model::{Type, Value};
use runmill_policy::Fault;

use crate::arguments::{functions, text, texts};

const TEXTS: Type = Type::List(&Type::Text);

functions! {
    "matches" [Type::Text, TEXTS] => Type::Bool, "Whether a path matches the globs.",
        |_, args| Ok(Value::Bool(globs(texts(args, 1)?)?.matches(text(args, 0)?)));
    "matches" [Type::Text, Type::Text] => Type::Bool, "Whether a path matches a glob.",
        |_, args| Ok(Value::Bool(globs([&**text(args, 1)?].into_iter())?.matches(text(args, 0)?)));
    "any_matches" [TEXTS, TEXTS] => Type::Bool, "Whether one of the paths matches the globs.",
        |_, args| any(args, &*globs(texts(args, 1)?)?);
    "any_matches" [TEXTS, Type::Text] => Type::Bool, "Whether one of the paths matches a glob.",
        |_, args| any(args, &*globs([&**text(args, 1)?].into_iter())?);
    "matching" [TEXTS, TEXTS] => TEXTS, "The paths that match the globs.",
        |_, args| all(args, &*globs(texts(args, 1)?)?);
    "matching" [TEXTS, Type::Text] => TEXTS, "The paths that match a glob.",
        |_, args| all(args, &*globs([&**text(args, 1)?].into_iter())?);
}

struct Globs(Gitignore);

impl Globs {
    fn matches(&self, path: &str) -> bool {
        // A path outside of a checkout matches nothing.
        let inside = !path.is_empty() && !path.starts_with('/') && !path.split('/').any(|segment| segment == "..");
        inside && self.0.matched_path_or_any_parents(path, false).is_ignore()
    }
}

fn any(args: &[Value], globs: &Globs) -> Result<Value, Fault> {
    Ok(Value::Bool(texts(args, 0)?.any(|path| globs.matches(path))))
}

fn all(args: &[Value], globs: &Globs) -> Result<Value, Fault> {
    let matching = texts(args, 0)?.filter(|path| globs.matches(path));
    Ok(Value::List(matching.map(|path| Value::Text(path.into())).collect()))
}

thread_local! {
    /// Compiled globs by their texts: a rule asks for the same ones on every subject.
    static COMPILED: RefCell<HashMap<Vec<String>, Rc<Globs>>> = RefCell::default();
}

/// More different lists of globs than any pack has; beyond it the store starts afresh.
const KEPT: usize = 1_000;

fn globs<'a>(patterns: impl Iterator<Item = &'a str> + Clone) -> Result<Rc<Globs>, Fault> {
    let key: Vec<String> = patterns.map(str::to_owned).collect();
    COMPILED.with_borrow_mut(|compiled| {
        if let Some(globs) = compiled.get(&key) {
            return Ok(Rc::clone(globs));
        }
        let globs = Rc::new(compile(&key)?);
        if compiled.len() >= KEPT {
            compiled.clear();
        }
        compiled.insert(key, Rc::clone(&globs));
        Ok(globs)
    })
}

fn compile(patterns: &[String]) -> Result<Globs, Fault> {
    let mut builder = GitignoreBuilder::new("");
    for pattern in patterns {
        if pattern.trim().is_empty() || pattern.starts_with('#') {
            return Err(Fault::new(format!("`{pattern}` is no glob")));
        }
        builder.add_line(None, pattern).map_err(|error| Fault::new(format!("`{pattern}` is no glob: {error}")))?;
    }
    builder.build().map(Globs).map_err(|error| Fault::new(format!("the globs are no globs: {error}")))
}
