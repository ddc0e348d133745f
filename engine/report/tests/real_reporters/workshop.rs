//! Where the reporters are installed, and how they are run.

#![expect(clippy::disallowed_methods, reason = "these tests run real programs on files of their own")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
};

const NPM: &[&str] = &["jest@30.5.2", "jest-junit@17.0.0", "mocha@12.0.3", "vitest@4.1.12", "tape@5.10.2"];
const PYPI: &[&str] = &["pytest==9.2.0", "pytest-rerunfailures==16.7", "unittest-xml-reporting==4.0.0"];

/// The directory with everything installed, made once for a test run and kept for the next.
pub(super) struct Workshop {
    root: PathBuf,
}

/// What a run left.
pub(super) struct Ran {
    pub argv: Vec<String>,
    pub stdout: Vec<u8>,
    /// Standard output, then standard error.
    pub output: Vec<u8>,
    pub report: Vec<u8>,
}

static INSTALLED: LazyLock<PathBuf> = LazyLock::new(|| {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("reporters");
    fs::create_dir_all(&root).unwrap();
    fs::write(root.join("package.json"), "{\"private\": true}\n").unwrap();
    install(&root, "npm", &[&["install", "--no-audit", "--no-fund", "--no-package-lock"], NPM].concat());
    install(&root, "python3", &["-m", "venv", "python"]);
    install(&root, "python/bin/pip", &[&["install", "--quiet", "--disable-pip-version-check"], PYPI].concat());
    root
});

fn install(root: &Path, program: &str, args: &[&str]) {
    let program = if program.contains('/') { root.join(program) } else { PathBuf::from(program) };
    let status = Command::new(&program).args(args).current_dir(root).stdout(Stdio::null()).status();
    let install = "install node 20 or later with npm, python3 with venv, bats and perl, as `.ci/run` does";
    assert!(status.is_ok_and(|status| status.success()), "{} {args:?} failed: {install}", program.display());
}

impl Workshop {
    pub(super) fn open() -> Self {
        Self { root: INSTALLED.clone() }
    }

    /// Runs a command, words with one space between them, on source files in a fresh directory.
    pub(super) fn run(&self, label: &str, sources: &[(&str, &str)], command: &str, report: Option<&str>) -> Ran {
        let name: String = label.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let directory = self.root.join("runs").join(name);
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("package.json"), "{\"private\": true}\n").unwrap();
        for (path, text) in sources {
            let path = directory.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let argv: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let path = format!(
            "{}:{}:{}",
            self.root.join("python/bin").display(),
            self.root.join("node_modules/.bin").display(),
            std::env::var("PATH").unwrap_or_default()
        );
        let output = Command::new("env")
            .args(&argv)
            .current_dir(&directory)
            .env("PATH", path)
            .env("NO_COLOR", "1")
            .env_remove("FORCE_COLOR")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let report = report.map(|path| fs::read(directory.join(path)).unwrap_or_default()).unwrap_or_default();
        Ran { argv, output: [output.stdout.as_slice(), &output.stderr].concat(), stdout: output.stdout, report }
    }
}
