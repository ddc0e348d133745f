//! The text of a diff, byte for byte as plain git writes it with `--text --full-index --no-renames --no-color --no-ext-diff
//! --no-textconv --unified=3`, but for the words that git puts behind the second `@@` of a hunk: these depend on
//! configuration, and are left out.

use git2::{Delta, Diff, DiffDelta, DiffFile, FileMode, Patch};
use runmill_model::{Digest, Hasher};

use super::inside::Inside;

/// SHA-256 of the text of a diff, with a line behind it for each repository inside that is not what `HEAD` says: `repository`,
/// its path, its commit and its digest.
pub(super) fn digest(diff: &Diff<'_>, inside: &[Inside]) -> Result<Digest, git2::Error> {
    let mut hasher = Hasher::new();
    for (place, delta) in diff.deltas().enumerate() {
        let is_repository = delta.new_file().path_bytes().is_some_and(|path| path.ends_with(b"/"));
        if let Some(patch) = Patch::from_diff(diff, place)?.filter(|_| !is_repository) {
            hasher.update(&text(&patch)?);
        }
    }
    for Inside { path, state } in inside {
        let (commit, diff) = match state {
            Some(state) => (state.head.to_string(), state.diff.to_string()),
            None => ("none".to_owned(), "none".to_owned()),
        };
        hasher.update(&[b"repository ", quoted(path).as_slice(), format!(" {commit} {diff}\n").as_bytes()].concat());
    }
    Ok(hasher.finish())
}

fn text(patch: &Patch<'_>) -> Result<Vec<u8>, git2::Error> {
    let mut out = header(&patch.delta(), patch.num_hunks() > 0);
    for at in 0..patch.num_hunks() {
        let (hunk, lines) = patch.hunk(at)?;
        out.extend_from_slice(ranges(hunk.header()));
        out.push(b'\n');
        for line in 0..lines {
            let line = patch.line_in_hunk(at, line)?;
            if let '+' | '-' | ' ' = line.origin() {
                out.extend(u8::try_from(line.origin()));
            }
            out.extend_from_slice(line.content());
        }
    }
    Ok(out)
}

/// `@@ -1,2 +3,4 @@`, and nothing behind it.
fn ranges(header: &[u8]) -> &[u8] {
    let ends = header.windows(2).enumerate().filter(|(_, pair)| *pair == b"@@").map(|(at, _)| at + 2);
    header.get(..ends.take(2).last().unwrap_or(header.len())).unwrap_or(header)
}

fn header(delta: &DiffDelta<'_>, has_hunks: bool) -> Vec<u8> {
    let (old, new) = (delta.old_file(), delta.new_file());
    let (is_new, is_gone) =
        (matches!(delta.status(), Delta::Added | Delta::Untracked), delta.status() == Delta::Deleted);
    let (old_name, new_name) = (named(b"a/", &old), named(b"b/", &new));
    let mut out = [b"diff --git ", old_name.as_slice(), b" ", &new_name, b"\n"].concat();
    let (old_mode, new_mode) = (mode(old.mode()), mode(new.mode()));
    let mut line = |text: String| out.extend(text.into_bytes());
    match (is_new, is_gone) {
        (true, _) => line(format!("new file mode {new_mode:06o}\n")),
        (_, true) => line(format!("deleted file mode {old_mode:06o}\n")),
        _ if old_mode != new_mode => line(format!("old mode {old_mode:06o}\nnew mode {new_mode:06o}\n")),
        _ => {}
    }
    if old.id() != new.id() {
        let same = if !is_new && !is_gone && old_mode == new_mode { format!(" {old_mode:06o}") } else { String::new() };
        line(format!("index {}..{}{same}\n", old.id(), new.id()));
    }
    if has_hunks {
        for (mark, absent, name) in [(b"--- ", is_new, &old_name), (b"+++ ", is_gone, &new_name)] {
            let name: &[u8] = if absent { b"/dev/null" } else { name };
            // A name with a space ends in a tab, so that `patch` sees where it ends.
            let end: &[u8] = if name.contains(&b' ') { b"\t\n" } else { b"\n" };
            out.extend([mark, name, end].concat());
        }
    }
    out
}

fn mode(mode: FileMode) -> u32 {
    u32::from(mode)
}

/// A name behind its prefix, in quotes where git puts it there.
fn named(prefix: &[u8], file: &DiffFile<'_>) -> Vec<u8> {
    quoted(&[prefix, file.path_bytes().unwrap_or_default()].concat())
}

fn quoted(name: &[u8]) -> Vec<u8> {
    let plain = |byte: &u8| (b' '..0x7f).contains(byte) && !b"\"\\".contains(byte);
    if name.iter().all(plain) {
        return name.to_vec();
    }
    let letters = name.iter().flat_map(|byte| match byte {
        7 => b"\\a".to_vec(),
        8 => b"\\b".to_vec(),
        b'\t' => b"\\t".to_vec(),
        b'\n' => b"\\n".to_vec(),
        11 => b"\\v".to_vec(),
        12 => b"\\f".to_vec(),
        b'\r' => b"\\r".to_vec(),
        b'"' | b'\\' => vec![b'\\', *byte],
        byte if plain(byte) => vec![*byte],
        byte => format!("\\{byte:03o}").into_bytes(),
    });
    [b"\"".to_vec(), letters.collect(), b"\"".to_vec()].concat()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::super::fixture::{Sample, shell_in};

    /// What `docs/receipts.md` says of the digest.
    fn recipe() -> String {
        let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/receipts.md")).unwrap();
        let block = page.split("\n```sh\n").nth(1).unwrap();
        block.split("\n```").next().unwrap().to_owned()
    }

    fn sample() -> Sample {
        let sample = Sample::new();
        let code = "fn main() {\n    let a = 1;\n\n\n\n\n\n\n    let b = 2;\n}\n";
        for (path, text) in
            [("a", "one\ntwo\nthree\n"), ("b", "x\n"), ("open", "no end"), ("bin", "\0\u{1}\n\r\n"), ("code.rs", code)]
        {
            sample.write(path, text);
        }
        sample.write(".gitignore", "ignored\n");
        std::os::unix::fs::symlink("a", sample.dir.join("link")).unwrap();
        sample.commit("one");
        sample
    }

    #[track_caller]
    fn is_as_git_says(sample: &Sample, what: &str) {
        let said = shell_in(&sample.dir, &recipe());
        let said = said.split(' ').next().unwrap();
        assert_eq!(sample.open().worktree().unwrap().diff.hex(), said, "{what}");
    }

    #[test]
    fn is_what_plain_git_writes() {
        let changes: [(&str, &str); 24] = [
            ("nothing", "true"),
            ("an edit", "echo four >> a"),
            ("an untracked file", "echo u > new"),
            ("an untracked file that does not end its line", "printf u > new"),
            ("an empty file", ": > new"),
            ("an empty file that is staged", ": > new; git add new"),
            ("a program", "echo u > new; chmod +x new"),
            ("a link", "ln -s a new"),
            ("a space in a name", "echo u > 'new file'; git mv b 'b c'; : > 'empty file'"),
            ("a mode", "chmod +x b"),
            ("a mode and an edit", "chmod +x b; echo y >> b"),
            ("a line that ends now", "echo >> open; sed -i '$d' a"),
            ("a quote", "printf x > 'q\"uo\\te'"),
            ("letters", "printf x > é; echo é > 'é u'"),
            ("control characters in a name", "printf x > \"$(printf 'n\\na\\tm\\001e')\""),
            (
                "bytes that are no text",
                "printf '\\377\\000\\376' > new; printf '\\000\\002' > bin; printf x > \"$(printf 'n\\377')\"",
            ),
            ("a deletion", "rm a; git rm -q b"),
            ("another target", "ln -sf b link"),
            ("words behind a hunk", "sed -i 's/let b = 2/let b = 3/' code.rs"),
            ("directories", "mkdir -p d/e; echo 1 > d/e/f; echo 2 > d.x; echo 3 > d/a"),
            ("a file that is a link now", "rm a; ln -s b a; rm link; echo l > link"),
            ("a file that is a directory now", "rm a; mkdir a; echo z > a/z"),
            ("what is tracked although ignored", "echo 1 > ignored; git add -f ignored; echo 2 > ignored"),
            (
                "staged, and edited since",
                "echo s >> a; git add a; echo t >> a; echo s > n; git add n; rm n; git add -N .; : > m; git add -N m",
            ),
        ];
        for (what, change) in changes {
            let sample = sample();
            shell_in(&sample.dir, change);
            is_as_git_says(&sample, what);
        }
    }

    #[test]
    fn nothing_that_is_configured_changes_it_or_runs() {
        let sample = sample();
        sample.write(".gitattributes", "*.rs diff=evil filter=evil\nbin -diff\n*.txt text\n");
        sample.commit("attributes");
        shell_in(
            &sample.dir,
            "sed -i 's/let b = 2/let b = 3/' code.rs; echo x >> bin; chmod +x b; printf 'l\\r\\n' > crlf",
        );
        let plain = sample.open().worktree().unwrap();
        let evil = "touch evil; false";
        for (name, value) in [
            ("diff.context", "0"),
            ("diff.noprefix", "true"),
            ("diff.mnemonicPrefix", "true"),
            ("diff.external", evil),
            ("diff.evil.command", evil),
            ("diff.evil.textconv", evil),
            ("diff.evil.xfuncname", "^.*let a.*$"),
            ("diff.algorithm", "patience"),
            ("diff.indentHeuristic", "false"),
            ("diff.ignoreSubmodules", "all"),
            ("core.fsmonitor", evil),
            ("filter.evil.clean", evil),
            ("filter.evil.process", evil),
            ("core.fileMode", "false"),
            ("core.symlinks", "false"),
            ("core.autocrlf", "true"),
            ("core.ignoreStat", "true"),
            ("core.trustctime", "false"),
            ("core.quotePath", "false"),
        ] {
            sample.git(&["config", name, value]);
            assert_eq!(sample.open().worktree().unwrap(), plain, "{name}");
        }
        assert!(!sample.dir.join("evil").exists());
        is_as_git_says_but_for_filters(&sample);
    }

    /// Filters are programs of the configuration, which git runs and runmill never does.
    #[track_caller]
    fn is_as_git_says_but_for_filters(sample: &Sample) {
        for name in [
            "filter.evil.clean",
            "filter.evil.process",
            "core.fsmonitor",
            "core.fileMode",
            "core.symlinks",
            "core.autocrlf",
        ] {
            sample.git(&["config", "--unset", name]);
        }
        sample.git(&["config", "--unset", "core.quotePath"]);
        is_as_git_says(sample, "configured otherwise");
    }

    #[test]
    fn a_file_of_names_that_are_ignored_everywhere_is_heard() {
        let sample = sample();
        let names = sample.beside("names");
        fs::write(&names, "*.swp\n").unwrap();
        sample.git(&["config", "core.excludesFile", names.as_str()]);
        sample.write("x.swp", "x");
        fs::set_permissions(sample.dir.join("x.swp"), fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(sample.open().worktree().unwrap().changed_paths.len(), 0);
    }

    #[test]
    fn repositories_inside_count_by_their_commit_and_what_is_not_committed_in_them() {
        let (sample, inner) = (sample(), sample());
        sample.git(&["submodule", "--quiet", "add", inner.dir.as_str(), "sub"]);
        sample.commit("a submodule");
        is_as_git_says(&sample, "a submodule");
        let state = || sample.open().worktree().unwrap();
        let mut seen = vec![state().diff];
        assert_eq!(state().changed_paths.len(), 0);
        let looks_away = "git config -f .gitmodules submodule.sub.ignore all; git config submodule.sub.ignore all";
        for (what, change) in [
            ("a commit inside", "cd sub; git commit -q --allow-empty -m more"),
            ("that commit, staged", "git add sub; cd sub; git checkout -q HEAD~1; git checkout -q -"),
            ("an edit inside", "echo x >> sub/a"),
            ("another edit inside", "echo y >> sub/a"),
            ("a file inside", "echo y >> sub/new"),
            ("that git shall look away", looks_away),
            ("an edit that git looks away from", "echo z >> sub/a"),
            (
                "a repository that is no submodule",
                "git init -q nested; cd nested; echo x > x; git add x; git commit -qm x",
            ),
            ("an edit in it", "echo y >> nested/x"),
            ("a commit in it", "cd nested; git commit -qam y"),
            ("a deletion", "rm -r sub"),
        ] {
            shell_in(&sample.dir, change);
            let now = state();
            if what != "that commit, staged" {
                assert!(!seen.contains(&now.diff), "{what} is not seen");
            }
            seen.push(now.diff);
            assert_eq!(now, state(), "{what}");
        }
        let names: Vec<_> = state().changed_paths.iter().map(|path| path.as_str().to_owned()).collect();
        assert_eq!(names, [".gitmodules", "nested", "sub"]);
        let clone = sample.beside("clone");
        sample.git(&["clone", "-q", ".", clone.as_str()]);
        let clone = super::super::Repository::discover(&clone).unwrap().worktree().unwrap();
        assert_eq!(clone.changed_paths.len(), 0, "a submodule that nobody checked out");
    }

    #[test]
    fn wherever_it_is_asked_for() {
        let sample = sample();
        shell_in(
            &sample.dir,
            "git checkout -q -b other; echo o > a; git commit -qam o; git checkout -q main; echo m > a; git commit -qam m; git merge other || true",
        );
        is_as_git_says(&sample, "a conflict");
        sample.git(&["reset", "-q", "--hard"]);
        sample.git(&["checkout", "-q", "--detach"]);
        let linked = sample.beside("linked");
        sample.git(&["worktree", "add", "-q", "--detach", linked.as_str()]);
        fs::create_dir_all(linked.join("deep")).unwrap();
        fs::write(linked.join("deep/new"), "x").unwrap();
        let top = super::super::Repository::discover(&linked).unwrap().worktree().unwrap();
        let below = super::super::Repository::discover(&linked.join("deep")).unwrap().worktree().unwrap();
        assert_eq!((top.changed_paths.len(), &top), (1, &below));
        assert_eq!(shell_in(&linked, &recipe()).split(' ').next(), Some(top.diff.hex().as_ref()));
    }
}
