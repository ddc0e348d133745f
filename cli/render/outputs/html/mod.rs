//! One page of HTML: what a run came to and everything it stands on. It needs nothing else, loads nothing, and says all but
//! the long list of tests without a script.
//!
//! The verdict is told from the one model behind all outputs; what the model does not have (the facts that were read, the
//! tests by name, what was printed) comes from the sealed facts that the verdict names by digest.

mod checks;
mod contexts;
mod findings;
mod markup;
mod record;
mod settled;
mod sides;
mod tests;
mod timeline;
mod top;

use base64::{Engine, engine::general_purpose::STANDARD};
use runmill_model::{Digest, Graph};
use runmill_workshop::{ExplainedRun, Grounds};

use super::{NoVerdict, told::Told};
use crate::command::inspect::Inspection;
use markup::{line, prose, text};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What a page is made of: the verdict, and what it stands on.
pub struct Page<'a> {
    /// The verdict.
    pub told: &'a Told,
    /// Its record, joined.
    pub inspection: &'a Inspection,
    /// The sealed facts.
    pub graph: &'a Graph,
    /// Why what is open came out as it did.
    pub explained: &'a ExplainedRun,
    /// What every finding stands on, in the order of the verdict's findings; empty where judging again gave something else.
    pub grounds: &'a [Grounds],
}

impl Page<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let title = format!("{}: {}", top::word(self.told), self.told.run);
        let mut body = String::new();
        self.top(&mut body);
        self.navigation(&mut body);
        line(&mut body, "<main id=\"main\">");
        self.findings(&mut body);
        self.checks(&mut body);
        self.timeline(&mut body);
        self.tests(&mut body);
        self.settled(&mut body);
        self.record(&mut body);
        line(&mut body, "</main>");
        document(&title, &body, Some(SCRIPT))
    }

    fn navigation(&self, out: &mut String) {
        line(out, "<nav aria-label=\"Sections of this page\"><ul>");
        let sections = [
            ("findings", "Findings"),
            ("checks", "Checks"),
            ("timeline", "Timeline"),
            ("tests", "Tests"),
            ("facts", "Facts read"),
            ("record", "Record"),
        ];
        for (id, name) in sections {
            line(out, &format!("<li><a href=\"#{id}\">{name}</a></li>"));
        }
        line(out, "</ul></nav>");
    }
}

/// That there is no verdict, and why.
pub fn none(why: &NoVerdict<'_>) -> String {
    let mut body = String::from("<header class=\"top indeterminate\"><p class=\"brand\">runmill</p>\n");
    line(
        &mut body,
        "<h1>No verdict</h1><p class=\"lead\">Something kept runmill from judging this change.</p></header>",
    );
    line(&mut body, "<main id=\"main\">");
    for problem in why.problems.iter() {
        line(&mut body, "<article class=\"finding fault\">");
        line(&mut body, &format!("<h3><span class=\"badge\">error</span> {}</h3>", problem.code));
        line(&mut body, &format!("<p class=\"message\">{}</p>", prose(&problem.message)));
        line(&mut body, &format!("<p>{}</p></article>", prose(&problem.help)));
    }
    line(&mut body, "</main>");
    document("No verdict", &body, None)
}

/// A whole page. Only the style and the script that were built into runmill are allowed in it, and nothing from elsewhere.
fn document(title: &str, body: &str, script: Option<&str>) -> String {
    let scripts = script.map_or("'none'".to_owned(), source);
    let policy = format!(
        "default-src 'none'; style-src {}; script-src {scripts}; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        source(STYLE)
    );
    let script = script.map_or(String::new(), |script| format!("<script>{script}</script>\n"));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{} · runmill</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to what was found</a>\n{body}{script}</body>\n</html>\n",
        text(title)
    )
}

/// A text of ours in a source list, by its digest (CSP Level 3, 2.3.1).
fn source(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Digest::of(text.as_bytes()).as_bytes()))
}
