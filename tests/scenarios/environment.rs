//! What an invocation sees: an environment built from an allow-list, and a git directory that says nothing of others.

use std::{collections::BTreeSet, fs};

use crate::harness::{RUNNER, Repo, Runmill, Verdict, listed, listed_with};

/// The lines of `script` become the tests of the candidate, so that the record shows what the check saw.
fn looking_at(script: &str) -> Repo {
    looking_at_with(script, "")
}

fn looking_at_with(script: &str, keys: &str) -> Repo {
    let repo = Repo::new();
    repo.manifest([listed_with("unit", keys)]).file("run.sh", RUNNER).tests("unit", ["pass kept"]).commit("base");
    let lines =
        format!("{{ {script}; }} 2>&1 | sed 's/^/pass /' > \"$TMPDIR/all\"\necho 'pass kept' >> \"$TMPDIR/all\"\n");
    let runner = format!("{lines}{}", RUNNER.replace("\"$1.txt\"", "\"$TMPDIR/all\""));
    repo.branch("change").file("run.sh", runner).commit("look around");
    repo
}

/// The tests of the candidate's report, as the recorded facts name them.
fn seen(verdict: &Verdict) -> BTreeSet<String> {
    let facts = verdict.recorded().facts();
    let tests = facts["tests"].as_array().unwrap();
    tests.iter().filter_map(|test| test["name"].as_str()).filter(|name| *name != "kept").map(str::to_owned).collect()
}

const NAMES: &str = "env | sed -n 's/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/\\1/p' | sort -u";

/// Everything that must never reach a check by itself.
fn with_secrets(run: Runmill) -> Runmill {
    let names =
        ["LD_AUDIT", "NODE_OPTIONS", "PYTHONPATH", "PYTHONSTARTUP", "BASH_ENV", "ENV", "SSH_AUTH_SOCK", "GIT_ASKPASS"];
    let secrets = ["API_TOKEN", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "GITHUB_TOKEN"];
    let harmless = ["EDITOR", "FAVOURITE_COLOUR"];
    names.into_iter().chain(secrets).chain(harmless).fold(run, |run, name| run.env(name, "/no/such/place-s3cr3t"))
}

#[test]
fn shows_a_check_the_variables_of_the_contract_and_no_others() {
    let repo = looking_at(NAMES);
    let verdict = with_secrets(repo.check()).verdict();
    let known = [
        "PATH",
        "LANG",
        "LC_ALL",
        "TZ",
        "TERM",
        "TMPDIR",
        "HOME",
        "CI",
        "GIT_OPTIONAL_LOCKS",
        "RUNMILL",
        "PWD",
        "OLDPWD",
        "SHLVL",
        "_",
    ];
    let homes = ["RUSTUP_HOME", "CARGO_HOME", "CARGO_NET_OFFLINE", "PYENV_ROOT", "NVM_DIR", "GOROOT", "VOLTA_HOME"];
    let certificates = ["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"];
    let allowed: BTreeSet<_> = known.into_iter().chain(homes).chain(certificates).collect();
    let seen = seen(&verdict);
    let beyond: Vec<_> = seen.iter().filter(|name| !allowed.contains(name.as_str())).collect();
    assert!(beyond.is_empty(), "{beyond:?}");
    for name in ["PATH", "HOME", "TMPDIR", "CI", "RUNMILL", "GIT_OPTIONAL_LOCKS"] {
        assert!(seen.contains(name), "{name} is not in {seen:?}");
    }
}

#[test]
fn shows_a_check_what_its_manifest_allows_and_sets() {
    let repo = looking_at_with(
        "echo \"$FAVOURITE_COLOUR $TZ $STAGE\"",
        "env: { allow: [FAVOURITE_COLOUR], set: { TZ: Europe/Berlin, STAGE: test } }",
    );
    let verdict = repo.check().env("FAVOURITE_COLOUR", "green").verdict();
    assert_eq!(seen(&verdict), BTreeSet::from(["green Europe/Berlin test".to_owned()]));
}

#[test]
fn never_lets_a_repository_ask_for_a_credential() {
    let repo = looking_at_with(NAMES, "env: { allow: [API_TOKEN, SSH_AUTH_SOCK, LD_AUDIT] }");
    let output = with_secrets(repo.check().arg("--json")).output();
    // Refused where it is written, or left out: it is never shown.
    if output.exit == 2 {
        output.error().is("RM-VERIFY-004", 2);
        return;
    }
    let seen = seen(&output.verdict());
    for name in ["API_TOKEN", "SSH_AUTH_SOCK", "LD_AUDIT"] {
        assert!(!seen.contains(name), "{name} is in {seen:?}");
    }
}

/// Shape 32, as far as the minimal record goes.
#[test]
fn keeps_a_credential_that_the_operator_allows_out_of_the_record() {
    let secret = "s3cr3t-value-of-the-operator";
    let repo = Repo::with_tests(["pass a"]);
    let runner =
        format!("{RUNNER}\nprintf %s \"$API_TOKEN\" | cut -c1-9; printf %s \"$API_TOKEN\"; echo \"$API_TOKEN\" >&2\n");
    repo.file("run.sh", runner).commit("print it");
    let policy = "version: 1\nverification: { environment: { allow: [API_TOKEN] } }\n";
    let verdict = repo.check().policy(policy).env("API_TOKEN", secret).verdict();
    verdict.is("ready");
    let printed = "s3cr3t-va\n".len() + secret.len();
    assert_eq!(verdict.result("unit", "candidate")["stdout"]["bytes"], printed, "the check did not see it: {verdict}");
    let recorded = verdict.recorded();
    for blob in recorded.record().blobs() {
        let text = String::from_utf8_lossy(&recorded.blob(Some(blob))).into_owned();
        assert!(!text.contains(secret), "{text}");
    }
    assert!(!verdict.to_string().contains(secret));
}

#[test]
fn shows_a_git_directory_that_says_nothing_of_other_branches() {
    let script = "git rev-parse HEAD; git status --porcelain; git for-each-ref; git remote -v; git config --get-regexp 'http|url'; \
                  git describe; ls .git/hooks 2>/dev/null; git log --oneline | wc -l; git symbolic-ref -q HEAD";
    let repo = looking_at(script);
    repo.git(["tag", "-a", "v1", "-m", "a tag", "main"]);
    repo.git(["remote", "add", "origin", "https://user:s3cr3t@example.com/repo.git"]);
    repo.git(["config", "http.extraheader", "Authorization: s3cr3t"]);
    repo.git(["branch", "unrelated", "main"]);
    repo.git(["tag", "elsewhere", &repo.git(["commit-tree", "-m", "x", "HEAD^{tree}"])]);
    let candidate = repo.git(["rev-parse", "HEAD"]);
    let seen = seen(&repo.check().verdict());
    assert!(seen.contains(&candidate), "{seen:?}");
    assert!(seen.contains("2"), "the history is not there: {seen:?}");
    assert!(seen.iter().any(|line| line.starts_with("v1-1-g")), "`git describe` does not work: {seen:?}");
    for hidden in ["s3cr3t", "origin", "unrelated", "elsewhere", "refs/heads", ".sample"] {
        assert!(!seen.iter().any(|line| line.contains(hidden)), "{hidden} is in {seen:?}");
    }
}

#[test]
fn hides_what_is_private_to_the_person() {
    let repo = looking_at("cat \"$(cat where)\"/.ssh/id; ls -A \"$HOME\"; head -c 4 /etc/shadow");
    let home = repo.place("home");
    fs::create_dir_all(home.join(".ssh")).unwrap();
    fs::write(home.join(".ssh/id"), "private").unwrap();
    repo.file("where", home.to_str().unwrap()).commit("where the person lives");
    let seen = seen(&repo.check().verdict());
    assert!(seen.iter().all(|line| line.contains("No such file") || line.contains("denied")), "{seen:?}");
}

#[test]
fn runs_a_check_in_the_directory_it_names() {
    let repo = Repo::new();
    let check = listed_with("unit", "cwd: packages/one").replace("path: unit.xml", "path: packages/one/unit.xml");
    repo.manifest([check]).file("packages/one/run.sh", RUNNER).file("packages/one/unit.txt", "pass a\n").commit("base");
    repo.branch("change").file("x", "x").commit("change");
    repo.check().verdict().is("ready").only_codes([]);
}

#[test]
fn judges_two_changes_at_once_with_one_state_directory() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let runs: Vec<_> = (0..3).map(|_| repo.check().start()).collect();
    for run in runs {
        let output = run.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
    // The next one finds nothing of them but their records.
    let verdict = repo.check().verdict();
    assert_eq!(verdict.is("ready").output().records().len(), 4);
}

#[test]
fn keeps_bytes_as_they_were_committed() {
    let repo = Repo::new();
    let check = listed("unit");
    repo.manifest([check]).file("run.sh", RUNNER).file(".gitattributes", "*.txt text eol=crlf\n*.c ident\n");
    repo.file("text.txt", "one\ntwo\n").file("id.c", "$Id$\n").tests("unit", ["pass a"]);
    // The runner reads the list with plain line ends: a conversion would put a carriage return into each name.
    repo.commit("base");
    let runner = format!(
        "{RUNNER}\n[ \"$(od -An -c text.txt | tr -d ' ')\" = 'one\\ntwo\\n' ] && [ \"$(cat id.c)\" = '$Id$' ]\n"
    );
    repo.branch("change").file("run.sh", runner).commit("look at bytes");
    repo.check().verdict().is("ready").only_codes([]);
}
