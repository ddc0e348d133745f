//! What is written beside what is printed: the same verdict for those who look elsewhere.
//!
//! Every form is made from the printed document, read back into one model, so that none can say more, or less, or
//! something else.

pub mod check_run;
mod github;
pub mod html;
mod junit;
mod markdown;
mod sarif;
pub mod told;

use std::{
    io::{self, Write},
    str::FromStr,
};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::{Code, Problem, Problems};

use runmill_store::boundary::{Boundary as At, pass};
use told::Told;

use crate::whole::NewFile;

/// The most that a job summary of GitHub holds, in bytes.
const SUMMARY: usize = 1024 * 1024 - 1;

/// One output that the command line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    form: Form,
    /// Absent for `github`, which goes to stderr and to the summary of the job.
    file: Option<Utf8PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Json,
    Sarif,
    Junit,
    Markdown,
    Html,
    Github,
}

/// That a verb did not reach a verdict.
pub struct NoVerdict<'a> {
    pub problems: &'a Problems,
    pub exit: u8,
}

impl FromStr for Asked {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (form, file) = text.split_once('=').map_or((text, None), |(form, file)| (form, Some(file)));
        let file = match file {
            Some("") => return Err(format!("`{text}` names no file")),
            file => file.map(Utf8PathBuf::from),
        };
        let form = match form {
            "json" => Form::Json,
            "sarif" => Form::Sarif,
            "junit" => Form::Junit,
            "markdown" => Form::Markdown,
            "html" => Form::Html,
            "github" => Form::Github,
            _ => {
                let forms = "write `sarif=FILE`, `junit=FILE`, `markdown=FILE`, `html=FILE`, `json=FILE` or `github`";
                return Err(forms.to_owned());
            }
        };
        if form != Form::Github && file.is_none() {
            return Err(format!("write `{text}=FILE`"));
        }
        Ok(Self { form, file })
    }
}

/// Outputs whose files can be written: found out before anything runs, and in place only when they are whole.
pub struct Outputs {
    prepared: Vec<(Form, Option<NewFile>)>,
    /// Where the summary of a job of GitHub goes.
    summary: Option<Utf8PathBuf>,
}

impl Outputs {
    /// Makes room for every output.
    ///
    /// # Errors
    /// RM-OUTPUT-001: one cannot be written.
    pub fn prepare(asked: &[Asked], summary: Option<Utf8PathBuf>) -> Result<Self, Problem> {
        let prepared = asked.iter().map(|asked| {
            let place = |file: &Utf8PathBuf| NewFile::beside(file).map_err(|error| unwritable(file, &error));
            Ok((asked.form, asked.file.as_ref().map(place).transpose()?))
        });
        Ok(Self { prepared: prepared.collect::<Result<_, Problem>>()?, summary })
    }

    /// Writes a verdict, given the text of its document and the page of its record.
    ///
    /// # Errors
    /// RM-OUTPUT-001: one cannot be written. What keeps the page from being made.
    pub fn verdict(self, printed: &str, page: impl Fn() -> Result<String, Problems>) -> Result<(), Problems> {
        let told = read_back(printed.as_bytes())?;
        self.write(|form| {
            Ok(match form {
                Form::Json => printed.to_owned(),
                Form::Sarif => sarif::verdict(&told),
                Form::Junit => junit::verdict(&told),
                Form::Markdown => markdown::verdict(&told),
                Form::Html => page()?,
                Form::Github => github::verdict(&told),
            })
        })
    }

    /// Writes that there is no verdict, so that no file from before is taken for one.
    ///
    /// # Errors
    /// RM-OUTPUT-001: one cannot be written.
    pub fn none(self, why: &NoVerdict<'_>) -> Result<(), Problems> {
        self.write(|form| {
            Ok(match form {
                Form::Json => super::json::error(why.problems) + "\n",
                Form::Sarif => sarif::none(why),
                Form::Junit => junit::none(why),
                Form::Markdown => markdown::none(why),
                Form::Html => html::none(why),
                Form::Github => github::none(why),
            })
        })
    }

    fn write(self, text: impl Fn(Form) -> Result<String, Problems>) -> Result<(), Problems> {
        for (form, file) in self.prepared {
            if let Some(file) = file {
                pass(At::OutputUnwritten)?;
                let path = file.path().to_owned();
                file.put(text(form)?.as_bytes()).map_err(|error| unwritable(&path, &error))?;
                continue;
            }
            // Standard output belongs to the verdict; GitHub reads commands from both streams.
            let told = io::stderr().lock().write_all(text(form)?.as_bytes());
            told.map_err(|error| unwritable(Utf8Path::new("standard error"), &error))?;
            if let Some(summary) = &self.summary {
                append(summary, &shortened(text(Form::Markdown)?)).map_err(|error| unwritable(summary, &error))?;
            }
        }
        Ok(())
    }
}

/// The one model of a verdict, from the bytes of its document.
///
/// # Errors
/// RM-INTERNAL-001: it is no verdict of this form.
pub fn read_back(printed: &[u8]) -> Result<Told, Problem> {
    Told::read(printed).map_err(|error| {
        let message = format!("a verdict cannot be read back: {error}");
        Problem::new(Code::Internal001, message, "report this")
    })
}

fn append(file: &Utf8Path, text: &str) -> io::Result<()> {
    std::fs::OpenOptions::new().append(true).create(true).open(file)?.write_all(text.as_bytes())
}

/// GitHub refuses a summary that is too long, whole; the verdict stands at its top.
fn shortened(mut text: String) -> String {
    const REST: &str = "\n\nThe rest did not fit; it is on record.\n";
    if text.len() > SUMMARY {
        let end = (0..=SUMMARY - REST.len()).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        text.truncate(end);
        text.push_str(REST);
    }
    text
}

/// That a file cannot be written.
pub fn unwritable(file: &Utf8Path, error: &io::Error) -> Problem {
    let message = format!("cannot write the output `{file}`: {error}");
    Problem::new(Code::Output001, message, "name a file in a directory that is there and that you may write")
}
