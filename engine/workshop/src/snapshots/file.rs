//! The file form: insta's, a head in YAML between two lines of `---`, then the text
//! (<https://insta.rs/docs/snapshot-files/>).

use super::Header;

/// What the name of a pending snapshot ends with, after `.snap`.
pub const PENDING: &str = ".new";

/// A snapshot as a file.
pub fn written(header: &Header, text: &str) -> String {
    // JSON texts are YAML texts.
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    format!("---\nsource: {}\ndescription: {}\n---\n{}\n", header.source, quoted(&header.case), text)
}

/// What a file holds below its head, without the line end of the last line; none when it is no such file.
pub fn contents(file: &str) -> Option<String> {
    let file = file.replace("\r\n", "\n");
    let (_, text) = file.strip_prefix("---\n")?.split_once("\n---\n")?;
    Some(text.trim_end_matches('\n').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let header = Header { source: "tests/a.kdl".to_owned(), case: "it \"says\": #so".to_owned() };
        let file = written(&header, "rule: a/b\n---\noutcome: proven");
        assert_eq!(contents(&file).unwrap(), "rule: a/b\n---\noutcome: proven");
        assert_eq!(contents(&file.replace('\n', "\r\n")).unwrap(), "rule: a/b\n---\noutcome: proven");
        assert_eq!(contents("rule: a/b\n"), None);
    }
}
