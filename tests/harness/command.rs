//! Running the binary hermetically: cleared environment, a home and a state directory of its own, a fixed width.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::Value;

use super::{
    ErrorDocument, Gates, Receipt, Repo, User, Verdict, container,
    recorded::{assert_replays, ended, unfinished},
    schema,
};

/// A run of the binary, not started yet.
pub struct Runmill {
    program: PathBuf,
    args: Vec<OsString>,
    dir: PathBuf,
    root: PathBuf,
    state: PathBuf,
    names_state_dir: bool,
    env: Vec<(OsString, OsString)>,
    /// Words in front of the binary, such as a command that takes something away from it.
    prefix: Vec<String>,
    user: User,
}

/// What a run left behind.
pub struct Output {
    /// The exit code.
    pub exit: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The state directory it used.
    pub state: PathBuf,
    /// The records that were there before it.
    pub earlier_records: Vec<String>,
}

/// The directories in which system programs, and the git of this machine, are found.
pub fn path() -> String {
    let system = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    let has_git = |dir: &str| Path::new(dir).join("git").exists();
    if system.split(':').any(has_git) {
        return system.to_owned();
    }
    let inherited = std::env::var("PATH").unwrap_or_default();
    let git = inherited.split(':').find(|dir| has_git(dir)).expect("git is on PATH");
    format!("{git}:{system}")
}

impl Runmill {
    pub(super) fn new<'a>(repo: &Repo, dir: &Path, args: impl IntoIterator<Item = &'a str>) -> Self {
        let run = Self {
            program: PathBuf::from(env!("CARGO_BIN_EXE_runmill")),
            args: args.into_iter().map(OsString::from).collect(),
            dir: dir.to_owned(),
            root: repo.root().to_owned(),
            state: repo.place("state"),
            names_state_dir: true,
            env: Vec::new(),
            prefix: Vec::new(),
            user: repo.user(),
        };
        run.env("PATH", path()).env("LANG", "C.UTF-8").env("COLUMNS", "80")
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    pub fn args<'a>(mut self, args: impl IntoIterator<Item = &'a str>) -> Self {
        self.args.extend(args.into_iter().map(OsString::from));
        self
    }

    /// Sets a variable of the person's environment.
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        let name = OsString::from(name);
        self.env.retain(|(known, _)| *known != name);
        self.env.push((name, value.into()));
        self
    }

    /// Runs in another directory.
    pub fn in_dir(mut self, dir: &Path) -> Self {
        self.dir = dir.to_owned();
        self
    }

    /// Uses another state directory.
    pub fn state_dir(mut self, dir: &Path) -> Self {
        self.state = dir.to_owned();
        self
    }

    /// Names no state directory, so that it is to be `expected`.
    pub fn without_state_dir(mut self, expected: &Path) -> Self {
        self.names_state_dir = false;
        self.state_dir(expected)
    }

    /// Judges under this operator policy.
    pub fn policy(self, yaml: &str) -> Self {
        let file = self.root.join("policy.yaml");
        fs::write(&file, yaml).unwrap();
        self.arg("--policy").arg(file)
    }

    /// Writes the verdict in these forms, too.
    pub fn outputs<'a>(self, forms: impl IntoIterator<Item = &'a str>) -> Self {
        forms.into_iter().fold(self, |run, form| run.args(["--output", form]))
    }

    /// Starts the binary through another command.
    pub fn through<'a>(mut self, words: impl IntoIterator<Item = &'a str>) -> Self {
        self.prefix.extend(words.into_iter().map(str::to_owned));
        self
    }

    /// Starts the binary in the imitation of a container.
    pub fn in_container(self) -> Self {
        // Somebody else runs a copy of the binary, in the root.
        let own = self.program.parent().filter(|_| !self.user.drops_privileges());
        let words = container::words(&[Some(self.root.as_path()), own].into_iter().flatten().collect::<Vec<_>>());
        let dir = self.dir.clone();
        self.env("PWD_INSIDE", dir).through(words.iter().map(String::as_str))
    }

    /// Starts the run without input, and with pipes to read from.
    pub fn start(self) -> Child {
        self.start_on(Stdio::null(), Stdio::piped(), Stdio::piped())
    }

    /// Starts the run on these ends: standard input, output and error.
    pub fn start_on(mut self, stdin: Stdio, stdout: Stdio, stderr: Stdio) -> Child {
        if self.user.drops_privileges() {
            self.program = readable_copy(&self.program, &self.root);
            self.user.own(&self.root);
        }
        let mut words: Vec<OsString> = self.user.prefix().into_iter().map(OsString::from).collect();
        words.extend(self.prefix.iter().map(OsString::from));
        words.push(self.program.into());
        words.extend(self.args);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(&self.dir).env_clear().stdin(stdin);
        command.env("HOME", self.root.join("home")).env("TMPDIR", self.root.join("tmp"));
        command.env("XDG_CONFIG_HOME", self.root.join("config"));
        if self.names_state_dir {
            command.env("RUNMILL_STATE_DIR", &self.state);
        }
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.envs(self.env).stdout(stdout).stderr(stderr);
        command.spawn().unwrap_or_else(|error| panic!("{words:?}: {error}"))
    }

    /// Runs it to its end.
    pub fn output(self) -> Output {
        let state = self.state.clone();
        let earlier_records = ended(&state);
        Output { earlier_records, ..Output::of(self.start(), state) }
    }

    /// Runs it in JSON mode and reads the one document it prints.
    pub fn document(self) -> Value {
        self.arg("--json").output().only_document()
    }

    /// Runs it in JSON mode and reads a verdict.
    pub fn verdict(self) -> Verdict {
        let output = self.arg("--json").output();
        output.verdict()
    }

    /// Runs it in JSON mode and reads a receipt.
    #[track_caller]
    pub fn receipt(self) -> Receipt {
        let output = self.arg("--json").output();
        output.assert_nothing_in_progress();
        Receipt::new(output)
    }

    /// Runs it in JSON mode and reads the gates of a merge.
    #[track_caller]
    pub fn gates(self) -> Gates {
        Gates::new(self.arg("--json").output())
    }

    /// Writes down the boundaries that the run comes to, in a file of this name beside the repository.
    pub fn traced(self, name: &str) -> Self {
        let file = self.root.join(name);
        self.env("RUNMILL_CRASH_AT", format!("trace={}", file.display()))
    }

    /// Runs it in JSON mode and reads an error.
    pub fn error(self) -> ErrorDocument {
        let output = self.arg("--json").output();
        output.error()
    }
}

impl Output {
    /// Waits for a started run.
    pub fn of(child: Child, state: PathBuf) -> Self {
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        schema::described(&stdout);
        let exit = output.status.code();
        let exit = exit.unwrap_or_else(|| panic!("ended by a signal: {}\n{stderr}", output.status));
        Self { exit, stdout, stderr, state, earlier_records: Vec::new() }
    }

    /// The verdict on standard output, which must hold nothing else.
    pub fn verdict(self) -> Verdict {
        let document = self.only_document();
        let schema = document["schema"].as_str().unwrap_or_default();
        assert_eq!(schema, "runmill.verdict/v1", "{document:#}\n{}", self.stderr);
        self.assert_nothing_in_progress();
        assert_replays(&self.state, &self.stdout);
        Verdict::new(document, self)
    }

    /// The error on standard output, which must hold nothing else.
    pub fn error(self) -> ErrorDocument {
        let document = self.only_document();
        let schema = document["schema"].as_str().unwrap_or_default();
        assert_eq!(schema, "runmill.error/v1", "{document:#}\n{}", self.stderr);
        self.assert_nothing_in_progress();
        ErrorDocument::new(document, self)
    }

    /// Nothing of a run in progress is left in the state directory, and every run there has an end.
    pub fn assert_nothing_in_progress(&self) {
        assert_eq!(entries(&self.state.join("work")), Vec::<String>::new(), "left behind under work/");
        assert_eq!(unfinished(&self.state), Vec::<String>::new(), "without an end in the ledger");
    }

    /// The runs in the state directory that have a record.
    pub fn records(&self) -> Vec<String> {
        ended(&self.state)
    }

    /// The one document on standard output.
    pub fn only_document(&self) -> Value {
        let mut documents = serde_json::Deserializer::from_str(&self.stdout).into_iter::<Value>();
        let first = documents.next();
        let document = match first {
            Some(Ok(document)) => document,
            _ => panic!("no document on stdout (exit {}): {:?}\n{}", self.exit, self.stdout, self.stderr),
        };
        assert!(documents.next().is_none(), "more than one document on stdout: {}", self.stdout);
        document
    }
}

/// A copy of the binary where somebody without privileges can read it. `cp` writes it, because a file that this process
/// holds open for writing could be busy when another thread has just forked.
fn readable_copy(program: &Path, root: &Path) -> PathBuf {
    let copy = root.join("runmill");
    if !copy.exists() {
        assert!(Command::new("cp").args([program, &copy]).status().unwrap().success());
    }
    copy
}

fn entries(dir: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
