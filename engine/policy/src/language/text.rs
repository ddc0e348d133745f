//! Words of messages.

/// `; did you mean ..` with the closest known name, or nothing when none is close.
pub(crate) fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    closest(name, known).map(|close| format!("; did you mean `{close}`")).unwrap_or_default()
}

/// The closest known name, when one is close.
pub(crate) fn closest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if !name.starts_with(char::is_alphabetic) {
        return None;
    }
    let near = known.map(|known| (strsim::jaro_winkler(name, known), known)).filter(|(near, _)| *near > 0.8);
    near.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, known)| known)
}

/// The byte offset of a 1-based line and column that count characters; the text's end when there is no such place.
pub(crate) fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let rest = text.get(start..).unwrap_or_default();
    let within: usize = rest.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum();
    (start + within).min(text.len())
}

/// The length of the word or sign at an offset, in bytes; at least 1 unless at the end.
pub(crate) fn word_length(text: &str, offset: usize) -> usize {
    let rest = text.get(offset..).unwrap_or_default();
    let word: usize = rest.chars().take_while(|mark| mark.is_alphanumeric() || *mark == '_').map(char::len_utf8).sum();
    if word > 0 { word } else { rest.chars().next().map_or(0, char::len_utf8) }
}

/// A text as one line that starts in lower case and ends without a full stop.
pub(crate) fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_end_matches('.');
    let mut letters = line.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => String::new(),
    }
}
