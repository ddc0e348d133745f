//! Questions to a forge over HTTP: bounded, repeated where that helps, and never with a token to anybody else.

mod exchange;

use std::{
    any::Any,
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
    time::Duration,
};

use jiff::Timestamp;
use serde::{Serialize, de::DeserializeOwned};
use url::Url;

use crate::{
    api::Api,
    link,
    refusal::{Cause, Refusal},
    token::Token,
};
use exchange::{Answer, Question};

/// How many pages one list may have; GitHub puts 100 items on a page.
const PAGES: usize = 200;
/// How often a list is read again that changed while it was read.
const READINGS: usize = 3;

/// Lends the client time.
pub trait Pause {
    /// Lets time pass.
    ///
    /// # Errors
    /// Somebody wants to stop.
    fn pause(&self, time: Duration) -> Result<(), Stopped>;
}

/// Somebody wants to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

/// A page of a list.
pub trait Page: DeserializeOwned + 'static {
    /// What it lists.
    type Item: Clone;
    /// How many items the whole list has, where the page says so.
    fn total(&self) -> Option<u64>;
    /// The items on this page.
    fn items(&self) -> &[Self::Item];
    /// What tells an item from others, where it has such a number.
    fn number(item: &Self::Item) -> Option<u64>;
}

/// Asks one forge. Answers that it has seen before are asked for by their tag, which costs nothing of the limit of requests.
pub struct Client<'a> {
    agent: ureq::Agent,
    api: Api,
    token: Option<Token>,
    pauses: &'a dyn Pause,
    /// How long the client waits for one answer where the forge asks for patience.
    patience: Duration,
    remembered: RefCell<BTreeMap<String, Remembered>>,
    heard: Cell<Option<Timestamp>>,
    asks_for: Cell<Option<Duration>>,
}

/// An answer as it was.
struct Remembered {
    tag: String,
    value: Rc<dyn Any>,
    next: Option<String>,
}

impl<'a> Client<'a> {
    /// A client of one forge. The proxy is that of the environment, the roots of trust are the machine's.
    pub fn new(api: Api, token: Option<Token>, pauses: &'a dyn Pause, patience: Duration) -> Self {
        let (remembered, heard, asks_for) = Default::default();
        Self { agent: exchange::agent(), api, token, pauses, patience, remembered, heard, asks_for }
    }

    /// The address of the forge.
    pub fn api(&self) -> &Api {
        &self.api
    }

    /// Begins a look.
    pub(crate) fn begin(&self) {
        self.heard.set(None);
    }

    /// The time by the forge's clock when it first answered since [`Client::begin`]; none before it did.
    pub(crate) fn heard_at(&self) -> Option<Timestamp> {
        self.heard.get()
    }

    /// How long the forge asks to be left alone before the same is asked again, if it says.
    pub fn asks_for(&self) -> Option<Duration> {
        self.asks_for.get()
    }

    /// A text without the token.
    pub fn redact(&self, text: &str) -> String {
        self.token.as_ref().map_or_else(|| text.to_owned(), |token| token.redact(text))
    }

    /// Lets time pass.
    ///
    /// # Errors
    /// Somebody wants to stop.
    pub fn pause(&self, time: Duration) -> Result<(), Stopped> {
        self.pauses.pause(time)
    }

    /// One thing.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn get<T: DeserializeOwned + 'static>(&self, path: &[&str]) -> Result<Rc<T>, Refusal> {
        let url = self.api.at(path.iter().copied(), []);
        self.page(&url).map(|(value, _)| value)
    }

    /// A whole list, page after page. Where it says how long it is, it is exactly that long.
    ///
    /// # Errors
    /// Why there is no answer, or that the pages contradict one another.
    pub fn get_paged<P: Page>(&self, path: &[&str], query: &[(&str, &str)]) -> Result<Vec<P::Item>, Refusal> {
        let query = query.iter().copied().chain([("per_page", "100")]);
        let first = self.api.at(path.iter().copied(), query);
        let mut contradiction = String::new();
        for _ in 0..READINGS {
            match self.list::<P>(&first)? {
                Listed::Whole(items) => return Ok(items),
                Listed::Contradicts(what) => contradiction = what,
            }
        }
        Err(self.refuse(Cause::Unusable(contradiction), &first))
    }

    /// Sends something, once: what may have been done is not asked for again.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn post<T: DeserializeOwned>(&self, path: &[&str], body: &impl Serialize) -> Result<T, Refusal> {
        self.say("POST", path, body)
    }

    /// Sends a change of something, once.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn patch<T: DeserializeOwned>(&self, path: &[&str], body: &impl Serialize) -> Result<T, Refusal> {
        self.say("PATCH", path, body)
    }

    fn say<T: DeserializeOwned>(
        &self,
        method: &'static str,
        path: &[&str],
        body: &impl Serialize,
    ) -> Result<T, Refusal> {
        let url = self.api.at(path.iter().copied(), []);
        let body = serde_json::to_vec(body)
            .map_err(|error| self.refuse(Cause::Unusable(format!("the question cannot be written: {error}")), &url))?;
        match self.exchange(&Question { url: &url, tag: None, body: Some((method, &body)) })? {
            Answer::Said { bytes, .. } => self.read(&bytes, &url),
            Answer::AsBefore => Err(self.unasked(&url)),
        }
    }

    fn list<P: Page>(&self, first: &Url) -> Result<Listed<P::Item>, Refusal> {
        let (mut items, mut numbers, mut asked) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        let mut totals = BTreeSet::new();
        let mut next = Some(first.clone());
        while let Some(url) = next {
            if !asked.insert(url.to_string()) {
                return Err(self.refuse(Cause::Unusable("its pages lead in a circle".to_owned()), &url));
            }
            if asked.len() > PAGES {
                return Err(self.refuse(Cause::Unusable(format!("the list has more than {PAGES} pages")), &url));
            }
            let (page, after) = self.page::<P>(&url)?;
            totals.extend(page.total());
            // A list that grows at its head shows an item again on the next page.
            let new = page.items().iter().filter(|item| P::number(item).is_none_or(|number| numbers.insert(number)));
            items.extend(new.cloned());
            next = after.map(|after| self.own(&after, &url)).transpose()?;
        }
        let listed = items.len();
        Ok(match (totals.pop_first(), totals.pop_first()) {
            (Some(one), Some(other)) => Listed::Contradicts(format!("it says that there are {one}, and {other}")),
            (Some(total), None) if u64::try_from(listed).ok() != Some(total) => {
                Listed::Contradicts(format!("it says that there are {total}, and lists {listed}"))
            }
            _ => Listed::Whole(items),
        })
    }

    /// One page, and the address of the one after it.
    fn page<T: DeserializeOwned + 'static>(&self, url: &Url) -> Result<(Rc<T>, Option<String>), Refusal> {
        let known = self.known::<T>(url);
        let tag = known.as_ref().map(|(tag, ..)| tag.as_str());
        match (self.exchange(&Question { url, tag, body: None })?, known) {
            (Answer::AsBefore, Some((_, value, next))) => Ok((value, next)),
            (Answer::AsBefore, None) => Err(self.unasked(url)),
            (Answer::Said { bytes, link, tag }, _) => {
                let value = Rc::new(self.read::<T>(&bytes, url)?);
                let next = link.as_deref().and_then(link::next).map(str::to_owned);
                if let Some(tag) = tag {
                    let remembered = Remembered { tag, value: Rc::clone(&value) as Rc<dyn Any>, next: next.clone() };
                    self.remembered.borrow_mut().insert(url.to_string(), remembered);
                }
                Ok((value, next))
            }
        }
    }

    fn known<T: 'static>(&self, url: &Url) -> Option<(String, Rc<T>, Option<String>)> {
        let remembered = self.remembered.borrow();
        let it = remembered.get(url.as_str())?;
        Some((it.tag.clone(), Rc::clone(&it.value).downcast().ok()?, it.next.clone()))
    }

    fn read<T: DeserializeOwned>(&self, bytes: &[u8], url: &Url) -> Result<T, Refusal> {
        serde_json::from_slice(bytes).map_err(|error| {
            let what = if error.is_eof() { "it ends early".to_owned() } else { error.to_string() };
            self.refuse(Cause::Unusable(what), url)
        })
    }

    /// An address that the forge gave, if it is the forge's own.
    fn own(&self, text: &str, from: &Url) -> Result<Url, Refusal> {
        let elsewhere = || self.refuse(Cause::Unusable(format!("it leads to another place, `{text}`")), from);
        let url = from.join(text).map_err(|_| elsewhere())?;
        if self.api.is_home_of(&url) { Ok(url) } else { Err(elsewhere()) }
    }

    /// That the answer to a question cannot be believed.
    pub(crate) fn unusable(&self, path: &[&str], what: &str) -> Refusal {
        self.refuse(Cause::Unusable(what.to_owned()), &self.api.at(path.iter().copied(), []))
    }

    fn unasked(&self, url: &Url) -> Refusal {
        self.refuse(Cause::Unusable("it says that nothing has changed, and nobody asked that".to_owned()), url)
    }

    fn refuse(&self, cause: Cause, url: &Url) -> Refusal {
        Refusal::new(cause, url.as_str(), self.token.as_ref())
    }
}

/// A list as it was read.
enum Listed<T> {
    Whole(Vec<T>),
    /// It changed while it was read, or it lies.
    Contradicts(String),
}
