//! Parts of an id that change from run to run, so that the same test has another id each time.

/// What in an id is volatile; none when nothing is. Deliberately narrow: a false alarm teaches people to look away.
pub(crate) fn volatile_part(id: &str) -> Option<&'static str> {
    let bytes = id.as_bytes();
    let mut previous = b' ';
    for (at, byte) in bytes.iter().enumerate() {
        let rest = bytes.get(at..).unwrap_or_default();
        let at_word = !previous.is_ascii_alphanumeric();
        match byte {
            b'0' if at_word && is_address(rest) => return Some("a hexadecimal address"),
            b'/' if !previous.is_ascii_alphanumeric()
                && !matches!(previous, b'/' | b'.' | b'-' | b'_' | b':')
                && is_checkout_path(rest) =>
            {
                return Some("a path of one machine");
            }
            b'A'..=b'Z' | b'a'..=b'z' if at_word && is_windows_path(rest) => return Some("a path of one machine"),
            _ => {}
        }
        if at_word && byte.is_ascii_hexdigit() {
            if is_uuid(rest) {
                return Some("a UUID");
            }
            if is_timestamp(rest) {
                return Some("a timestamp");
            }
        }
        previous = *byte;
    }
    None
}

/// `0x` and at least 6 hexadecimal digits, of which one is a digit.
fn is_address(rest: &[u8]) -> bool {
    let Some(digits) = rest.strip_prefix(b"0x") else { return false };
    let length = digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    length >= 6 && digits.iter().take(length).any(u8::is_ascii_digit)
}

fn is_uuid(rest: &[u8]) -> bool {
    const SHAPE: [usize; 5] = [8, 4, 4, 4, 12];
    let mut rest = rest;
    for (place, length) in SHAPE.iter().enumerate() {
        if place > 0 {
            let Some(after) = rest.strip_prefix(b"-") else { return false };
            rest = after;
        }
        let Some((digits, after)) = rest.split_at_checked(*length) else { return false };
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return false;
        }
        rest = after;
    }
    !rest.first().is_some_and(u8::is_ascii_alphanumeric)
}

/// A date and a time of day, such as `2026-11-30T16:27`.
fn is_timestamp(rest: &[u8]) -> bool {
    const SHAPE: &[u8] = b"0000-00-00T00:00";
    rest.len() >= SHAPE.len()
        && rest.iter().zip(SHAPE).all(|(byte, shape)| match shape {
            b'0' => byte.is_ascii_digit(),
            b'T' => matches!(byte, b'T' | b' ' | b'_'),
            _ => byte == shape,
        })
}

/// An absolute path below a directory where checkouts and homes live, or to a source file two levels down.
fn is_checkout_path(rest: &[u8]) -> bool {
    const ROOTS: &[&[u8]] = &[
        b"/home/",
        b"/root/",
        b"/tmp/",
        b"/Users/",
        b"/builds/",
        b"/workspace/",
        b"/github/",
        b"/private/",
        b"/var/folders/",
        b"/opt/buildagent/",
        b"/mnt/",
        b"/__w/",
    ];
    const SOURCES: &[&[u8]] = &[
        b".js", b".ts", b".mjs", b".cjs", b".mts", b".jsx", b".tsx", b".py", b".rb", b".go", b".php", b".bats", b".t",
        b".sh", b".rs", b".java", b".kt", b".cs", b".cpp", b".cc", b".exs", b".swift",
    ];
    if ROOTS.iter().any(|root| rest.starts_with(root)) {
        return true;
    }
    let end =
        rest.iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b')' | b']' | b':'));
    let path = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
    path.iter().filter(|byte| **byte == b'/').count() >= 2 && SOURCES.iter().any(|source| path.ends_with(source))
}

fn is_windows_path(rest: &[u8]) -> bool {
    matches!(rest, [drive, b':', b'\\', next, ..] if drive.is_ascii_alphabetic() && next.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::volatile_part;

    #[test]
    fn names_what_changes_from_run_to_run() {
        for (id, part) in [
            ("t::<Foo object at 0x7f3a9c1b2d10>", "a hexadecimal address"),
            ("a::b[123e4567-e89b-12d3-a456-426614174000]", "a UUID"),
            ("backup 2026-11-30T16:27:46Z", "a timestamp"),
            ("/data/base/e.test.mjs", "a path of one machine"),
            ("loads (/home/ci/x/y)", "a path of one machine"),
            ("reads C:\\work\\x", "a path of one machine"),
        ] {
            assert_eq!(volatile_part(id), Some(part), "{id}");
        }
    }

    #[test]
    fn leaves_ordinary_names_alone() {
        for id in [
            "c::adds",
            "GET /users/1",
            "GET /api/v1/users returns 200",
            "0xdeadbe",
            "0x10",
            "src/a/b.test.js",
            "1.2.3",
            "on 2026-11-30",
            "deadbeef-1234",
            "http://example.test/a/b.js",
            "a::b::c",
            "ratio 1/2/3.t",
        ] {
            assert_eq!(volatile_part(id), None, "{id}");
        }
    }
}
