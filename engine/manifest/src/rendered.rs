//! Problems as tests compare them: one line each, `line:column message | help`, further labels as `+ line:column text`.

use std::fmt::Write;

use runmill_model::{Code, Problem, Problems};

/// All problems, or `ok`. The code is shown when it is not the usual one. Holds each problem to the house's form.
pub(crate) fn rendered<T>(result: &Result<T, Problems>, usual: Code) -> String {
    match result {
        Ok(_) => "ok".to_owned(),
        Err(problems) => problems.iter().map(|problem| line(problem, usual)).collect::<Vec<_>>().join("\n"),
    }
}

fn line(problem: &Problem, usual: Code) -> String {
    let mut shown = String::new();
    for (index, label) in problem.labels.iter().enumerate() {
        let (line, column) = problem.position(label).expect("a label inside its text");
        match index {
            0 => write!(shown, "{line}:{column} {} | {}", problem.message, problem.help).unwrap(),
            _ => write!(shown, " + {line}:{column} {}", label.text).unwrap(),
        }
    }
    assert!(!problem.labels.is_empty() && !problem.help.is_empty(), "no place or no help: {problem}");
    assert!(problem.labels.iter().all(|label| !label.text.is_empty()), "an empty label: {problem}");
    let one_line = |text: &str| !text.chars().any(char::is_control);
    assert!(one_line(&problem.message) && one_line(&problem.help), "more than one line: {problem:?}");
    assert!(!problem.message.ends_with('.'), "a full stop: {problem}");
    assert!(!problem.message.starts_with(char::is_uppercase), "upper case: {problem}");
    if problem.code == usual { shown } else { format!("{} {shown}", problem.code) }
}
