//! JUnit XML, read strictly: what two readers could read in two ways is refused.

mod attributes;
mod declaration;
mod element;
mod suite;
mod testcase;

use quick_xml::{Reader as Events, events::Event};

use crate::{Options, Reason, Rejection, input::BOM, inventory::Inventory, rejection::Fault};
use attributes::{Attributes, is_reference};
use element::Element;
use suite::Suite;
use testcase::Case;

const CUT: &str = "check that the run ended and that one run alone wrote the file";
const ESCAPE: &str = "use a reporter that escapes what it writes";

/// Reads the test cases.
///
/// # Errors
/// XML that is not well formed, a root that is not JUnit's, and what [`Reason`] lists for JUnit.
pub(crate) fn read(text: &str, options: &Options) -> Result<Inventory, Rejection> {
    let fault = |fault: Fault| fault.in_text(text.as_bytes());
    refuse_control_characters(text).map_err(fault)?;
    let mut reader = Reader {
        text,
        options,
        inventory: Inventory::new(options),
        depth: 0,
        root_seen: false,
        opaque_from: None,
        suites: Vec::new(),
        case: None,
        attributes: Attributes::default(),
    };
    // Growing and hashing anew costs more than this look ahead.
    reader.inventory.expect(memchr::memmem::find_iter(text.as_bytes(), b"<testcase").count());
    reader.all().map_err(fault)?;
    Ok(reader.inventory)
}

/// Looks at the declared encoding before the bytes are taken for UTF-8, so that the rejection names the cause.
///
/// # Errors
/// An encoding other than UTF-8 is declared.
pub(crate) fn check_encoding(bytes: &[u8]) -> Result<(), Rejection> {
    let unmarked = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let Some(end) = memchr::memmem::find(unmarked, b"?>").filter(|_| unmarked.starts_with(b"<?xml")) else {
        return Ok(());
    };
    let raw = unmarked.get(..end + b"?>".len()).and_then(|raw| std::str::from_utf8(raw).ok());
    match raw.map(|raw| declaration::check(raw, 0)) {
        Some(Err(fault)) if fault.reason == Reason::UnsupportedEncoding => Err(fault.in_text(bytes)),
        _ => Ok(()),
    }
}

struct Reader<'a> {
    text: &'a str,
    options: &'a Options,
    inventory: Inventory,
    /// Open elements.
    depth: u32,
    root_seen: bool,
    /// The depth of the open element whose content is skipped, where there is one.
    opaque_from: Option<u32>,
    /// Open suites, the root `testsuites` included.
    suites: Vec<Suite<'a>>,
    case: Option<Case<'a>>,
    attributes: Attributes<'a>,
}

impl<'a> Reader<'a> {
    fn all(&mut self) -> Result<(), Fault> {
        let mut events = Events::from_str(self.text);
        events.config_mut().check_comments = true;
        loop {
            let start = usize::try_from(events.buffer_position()).unwrap_or(usize::MAX);
            let event = events.read_event().map_err(|error| {
                let at = usize::try_from(events.error_position()).unwrap_or(start);
                Fault::new(Reason::Malformed, at, format!("not well formed: {}", one_line(&error)), CUT)
            })?;
            let end = usize::try_from(events.buffer_position()).unwrap_or(usize::MAX);
            let raw = self.text.get(start..end).unwrap_or_default();
            match event {
                Event::Start(_) => self.start(raw, start)?,
                Event::Empty(_) => {
                    self.start(raw, start)?;
                    self.end()?;
                }
                Event::End(_) => self.end()?,
                Event::Text(_) => self.characters(raw, start)?,
                Event::CData(_) if self.depth == 0 => return Err(outside(start)),
                Event::GeneralRef(_) => self.reference(raw, start)?,
                Event::Decl(_) => declaration::check(raw, start)?,
                Event::DocType(_) => {
                    let fix = "use a reporter that writes no document type";
                    return Err(Fault::new(Reason::Doctype, start, "a document type declaration", fix));
                }
                Event::PI(target) if target.target().eq_ignore_ascii_case("xml") => {
                    return Err(Fault::new(
                        Reason::Malformed,
                        start,
                        "an XML declaration that is not at the start",
                        CUT,
                    ));
                }
                Event::CData(_) | Event::Comment(_) | Event::PI(_) => {}
                Event::Eof => return self.finish(start),
            }
        }
    }

    fn start(&mut self, raw: &'a str, offset: usize) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > self.options.limits.depth {
            let message = format!("elements nested deeper than {}", self.options.limits.depth);
            return Err(Fault::new(Reason::TooDeep, offset, message, "write suites less deeply nested"));
        }
        let name = self.attributes.read(raw, offset)?;
        let element = Element::named(name).ok_or_else(|| {
            let message = format!("the element `{name}` has a namespace prefix");
            Fault::new(Reason::UnsupportedNamespace, offset, message, "use a reporter that writes plain JUnit")
        })?;
        if self.depth == 1 {
            if self.root_seen {
                return Err(Fault::new(Reason::Malformed, offset, "a second root element", CUT));
            }
            if !element.is_suite() {
                let message = format!("the root is `{name}`, not `testsuites` or `testsuite`");
                return Err(Fault::new(Reason::NotJunit, offset, message, "choose the runner's JUnit reporter"));
            }
            self.root_seen = true;
        }
        if self.opaque_from.is_some() {
            return Ok(());
        }
        if element.is_opaque() {
            self.opaque_from = Some(self.depth);
        }
        self.enter(element, offset)
    }

    fn enter(&mut self, element: Element, offset: usize) -> Result<(), Fault> {
        match (element, &mut self.case) {
            (Element::Suites | Element::Suite | Element::Case, Some(_)) => {
                let message = format!("a `{element}` inside a `testcase`");
                Err(Fault::new(Reason::Malformed, offset, message, "use a reporter that writes plain JUnit"))
            }
            (Element::Suites | Element::Suite, None) => {
                let kind = if element == Element::Suites { suite::Level::Root } else { suite::Level::Suite };
                self.suites.push(Suite::new(kind, &self.attributes, self.depth, offset));
                Ok(())
            }
            (Element::Case, None) => {
                self.case = Some(Case::new(&self.attributes, self.depth, offset));
                Ok(())
            }
            (Element::Failure, None) => {
                let suite = self.suites.last().and_then(|suite| suite.name.as_deref()).unwrap_or_default();
                let message = format!("the suite `{suite}` reports an error outside its tests");
                let fix = "repair what the suite does before or after its tests";
                Err(Fault::new(Reason::SuiteError, offset, message, fix).about(suite))
            }
            (Element::Failure, Some(case)) => {
                case.failed = true;
                Ok(())
            }
            (Element::Skipped, Some(case)) => {
                case.skipped = true;
                Ok(())
            }
            (Element::Attempt, Some(case)) => {
                case.attempts = true;
                Ok(())
            }
            (Element::Skipped | Element::Attempt | Element::Output | Element::Other, _) => Ok(()),
        }
    }

    fn end(&mut self) -> Result<(), Fault> {
        let closing = self.depth;
        self.depth = closing.saturating_sub(1);
        if self.opaque_from.is_some() {
            self.opaque_from = self.opaque_from.filter(|from| *from < closing);
            return Ok(());
        }
        if self.case.as_ref().is_some_and(|case| case.depth == closing) {
            if let Some(case) = self.case.take() {
                let outcome = case.record(&self.suites, self.options, &mut self.inventory)?;
                if let Some(suite) = self.suites.last_mut() {
                    suite.listed.add(outcome);
                }
            }
        } else if self.suites.last().is_some_and(|suite| suite.depth == closing)
            && let Some(suite) = self.suites.pop()
        {
            suite.compare(&mut self.inventory);
            if let Some(parent) = self.suites.last_mut() {
                parent.listed.add_all(&suite.listed);
            }
        }
        Ok(())
    }

    fn characters(&self, raw: &str, offset: usize) -> Result<(), Fault> {
        if self.depth == 0 && !raw.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
            return Err(outside(offset + raw.len() - raw.trim_start().len()));
        }
        match memchr::memmem::find(raw.as_bytes(), b"]]>") {
            Some(at) => Err(Fault::new(Reason::Malformed, offset + at, "`]]>` in text", ESCAPE)),
            None => Ok(()),
        }
    }

    fn reference(&self, raw: &str, offset: usize) -> Result<(), Fault> {
        if self.depth == 0 {
            return Err(outside(offset));
        }
        if is_reference(raw) { Ok(()) } else { Err(bad_reference(raw, offset)) }
    }

    fn finish(&self, end: usize) -> Result<(), Fault> {
        if self.depth > 0 {
            let message = format!("the report is cut off: {} elements are not closed", self.depth);
            return Err(Fault::new(Reason::Malformed, end, message, CUT));
        }
        if !self.root_seen {
            return Err(Fault::new(Reason::Malformed, end, "no element", CUT));
        }
        Ok(())
    }
}

fn outside(offset: usize) -> Fault {
    Fault::new(Reason::Malformed, offset, "text outside the root element", CUT)
}

fn bad_reference(raw: &str, offset: usize) -> Fault {
    let shown: String = raw.chars().take(32).collect();
    let message = format!("`{shown}` is not one of XML's own entities or a reference to a legal character");
    Fault::new(Reason::Malformed, offset, message, ESCAPE)
}

fn one_line(error: &quick_xml::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

fn refuse_control_characters(text: &str) -> Result<(), Fault> {
    if let Some(at) = first_control_character(text.as_bytes()) {
        return Err(Fault::new(Reason::Malformed, at, "a control character", ESCAPE));
    }
    let illegal = memchr::memmem::find_iter(text.as_bytes(), b"\xef\xbf")
        .find(|at| matches!(text.as_bytes().get(at + 2), Some(0xbe | 0xbf)));
    match illegal {
        Some(at) => Err(Fault::new(Reason::Malformed, at, "a character that XML does not allow", ESCAPE)),
        None => Ok(()),
    }
}

/// Looks at whole pieces first, which the compiler does many bytes at a time.
fn first_control_character(bytes: &[u8]) -> Option<usize> {
    const PIECE: usize = 256;
    let is_control = |byte: &u8| (*byte < 0x20) & (*byte != b'\t') & (*byte != b'\n') & (*byte != b'\r');
    let holds_one = |piece: &[u8]| piece.iter().fold(false, |found, byte| found | is_control(byte));
    let start = bytes.chunks(PIECE).position(holds_one)? * PIECE;
    Some(start + bytes.get(start..)?.iter().position(is_control)?)
}

#[cfg(test)]
mod tests;
