//! The header that names the next page, RFC 8288.

/// The target of the relation `next`, as it is written.
pub(crate) fn next(header: &str) -> Option<&str> {
    let mut rest = header;
    while let Some((_, after)) = rest.split_once('<') {
        let (target, parameters) = after.split_once('>')?;
        // A target holds no `<`, so what comes before the next one belongs to this.
        let own = parameters.split_once('<').map_or(parameters, |(own, _)| own);
        let is_next = |parameter: &str| {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = value.trim().trim_end_matches(',').trim_end().trim_matches('"');
            name.trim().eq_ignore_ascii_case("rel") && value.split_ascii_whitespace().any(|rel| rel == "next")
        };
        if own.split(';').any(is_next) {
            return Some(target);
        }
        rest = parameters;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_forges_write() {
        let both = "<https://h/a?page=3>; rel=\"next\", <https://h/a?page=9>; rel=\"last\"";
        assert_eq!(next(both), Some("https://h/a?page=3"));
        let turned = "<https://h/a?x=1,2;3>; rel=\"prev\", <https://h/b>; title=\"x\"; rel=next";
        assert_eq!(next(turned), Some("https://h/b"));
        assert_eq!(next("<https://h/a>; rel=\"first next\""), Some("https://h/a"));
        for none in ["", "<https://h/a>; rel=\"last\"", "<https://h/a", "next", "<a>; rel=\"nextish\""] {
            assert_eq!(next(none), None, "{none}");
        }
    }
}
