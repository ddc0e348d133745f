//! Texts.

use runmill_model::{Type, Value};
use runmill_policy::{Call, Fault};

use crate::arguments::{functions, int, length, text};

const TEXT: Type = Type::Text;

functions! {
    "len" [TEXT] => Type::Int, "The number of characters.", |_, args| Ok(length(text(args, 0)?.chars().count()));
    "is_empty" [TEXT] => Type::Bool, "Whether there is no character.",
        |_, args| Ok(Value::Bool(text(args, 0)?.is_empty()));
    "starts_with" [TEXT, TEXT] => Type::Bool, "Whether the first text starts with the second.",
        |_, args| Ok(Value::Bool(text(args, 0)?.starts_with(&**text(args, 1)?)));
    "ends_with" [TEXT, TEXT] => Type::Bool, "Whether the first text ends with the second.",
        |_, args| Ok(Value::Bool(text(args, 0)?.ends_with(&**text(args, 1)?)));
    "contains" [TEXT, TEXT] => Type::Bool, "Whether the second text is part of the first.",
        |_, args| Ok(Value::Bool(text(args, 0)?.contains(&**text(args, 1)?)));
    "lower" [TEXT] => TEXT, "The text in lower case.", |_, args| Ok(Value::Text(text(args, 0)?.to_lowercase().into()));
    "trim" [TEXT] => TEXT, "The text without outer space.", |_, args| Ok(Value::Text(text(args, 0)?.trim().into()));
    "split" [TEXT, TEXT] => Type::List(&Type::Text), "The parts between each occurrence of the second text.", split;
    "quoted" [TEXT] => TEXT, "The text in backticks, as messages show what was given.",
        |_, args| Ok(Value::Text(format!("`{}`", text(args, 0)?).into()));
    "plural" [Type::Int, TEXT] => TEXT, "A number and its word: `1 test`, `3 tests`, `2 checks`.", plural;
    "duration" [Type::Int] => TEXT, "A number of milliseconds as a person says it: `250ms`, `90s`, `10m`, `2h`.",
        |_, args| Ok(Value::Text(duration(int(args, 0)?).into()));
}

fn split(_: &Call<'_>, args: &[Value]) -> Result<Value, Fault> {
    let separator = text(args, 1)?;
    if separator.is_empty() {
        return Err(Fault::new("`split` needs a text to split at"));
    }
    Ok(Value::List(text(args, 0)?.split(&**separator).map(|part| Value::Text(part.into())).collect()))
}

fn plural(_: &Call<'_>, args: &[Value]) -> Result<Value, Fault> {
    let (number, word) = (int(args, 0)?, text(args, 1)?);
    let shown = match (number, word.strip_suffix('y')) {
        (1, _) => format!("1 {word}"),
        (_, Some(stem)) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{number} {stem}ies"),
        _ => format!("{number} {word}s"),
    };
    Ok(Value::Text(shown.into()))
}

/// The longest unit that says it exactly, as durations are written in manifests.
fn duration(milliseconds: i64) -> String {
    for (unit, name) in [(3_600_000, "h"), (60_000, "m"), (1_000, "s")] {
        if milliseconds != 0 && milliseconds % unit == 0 {
            return format!("{}{name}", milliseconds / unit);
        }
    }
    format!("{milliseconds}ms")
}
