//! One question and its answer, with everything that may go wrong on the way.

use std::{io, sync::Arc, time::Duration};

use jiff::{Timestamp, fmt::rfc2822};
use ureq::{
    Agent, Body,
    http::{HeaderMap, Request, Response},
    tls::{RootCerts, TlsConfig, TlsProvider},
};
use url::Url;

use super::Client;
use crate::refusal::{Cause, Refusal};

/// How large one answer may be, in bytes, unpacked.
const LARGEST: u64 = 64 << 20;
/// How often a question is asked that got no answer, or that the forge had no strength for.
const ATTEMPTS: u32 = 4;
/// How long the client waits before it asks again the first time; twice as long each time after.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// How long it waits for a limit of requests that does not say how long: GitHub asks for at least a minute.
const UNTOLD_PAUSE: Duration = Duration::from_secs(60);
/// How often a question may be sent on to another address of the same forge.
const REDIRECTS: usize = 5;
/// How much of what a forge says with a refusal is told, in characters.
const SAID: usize = 200;

/// What is asked.
#[derive(Clone, Copy)]
pub(super) struct Question<'q> {
    pub(super) url: &'q Url,
    /// The tag of the answer that is known.
    pub(super) tag: Option<&'q str>,
    /// What is sent and how; nothing where something is asked for.
    pub(super) body: Option<(&'static str, &'q [u8])>,
}

/// What came back.
pub(super) enum Answer {
    Said {
        bytes: Vec<u8>,
        link: Option<String>,
        tag: Option<String>,
    },
    /// The answer that is known.
    AsBefore,
}

/// What came of one attempt.
enum Attempt {
    Answered(Answer),
    Elsewhere(Url),
    /// Worth another attempt, after that long where the forge says so.
    Again(Cause, Option<Duration>),
    Never(Cause),
}

pub(super) fn agent() -> Agent {
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build();
    // Where an answer leads is looked at here, before anything is sent there.
    let config = Agent::config_builder()
        .tls_config(tls)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(concat!("runmill/", env!("CARGO_PKG_VERSION")))
        .timeout_connect(Some(Duration::from_secs(20)))
        .timeout_per_call(Some(Duration::from_secs(120)))
        .build();
    Agent::new_with_config(config)
}

impl Client<'_> {
    /// Asks until there is an answer, or no more hope.
    pub(super) fn exchange(&self, question: &Question<'_>) -> Result<Answer, Refusal> {
        let mut url = question.url.clone();
        let (mut attempts, mut redirects, mut waited) = (1, 0, Duration::ZERO);
        loop {
            let (cause, told) = match self.attempt(&Question { url: &url, ..*question }) {
                Attempt::Answered(answer) => return Ok(answer),
                Attempt::Never(cause) => return Err(self.refuse(cause, &url)),
                Attempt::Elsewhere(to) if redirects < REDIRECTS => {
                    redirects += 1;
                    url = to;
                    continue;
                }
                Attempt::Elsewhere(_) => {
                    return Err(self.refuse(Cause::Unusable("it is sent on and on".to_owned()), &url));
                }
                Attempt::Again(cause, told) => (cause, told),
            };
            let pause = told.unwrap_or(FIRST_PAUSE.saturating_mul(1 << (attempts - 1)));
            waited = waited.saturating_add(pause);
            if attempts == ATTEMPTS || waited > self.patience || self.pauses.pause(pause).is_err() {
                return Err(self.refuse(cause, &url));
            }
            attempts += 1;
        }
    }

    fn attempt(&self, question: &Question<'_>) -> Attempt {
        let asks = question.body.is_none();
        let again = |cause| if asks { Attempt::Again(cause, None) } else { Attempt::Never(cause) };
        let mut response = match self.send(question) {
            Ok(response) => response,
            Err(error) => return unanswered(&error, again),
        };
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let now = header(&headers, "date").and_then(date);
        self.heard.set(self.heard.get().or(now));
        self.asks_for.set(header(&headers, "x-poll-interval").and_then(seconds).or(self.asks_for.get()));
        match status {
            304 => return Attempt::Answered(Answer::AsBefore),
            300..400 => return self.sent_on(question, status, &headers),
            _ => {}
        }
        let bytes = match body(&mut response) {
            Ok(bytes) => bytes,
            Err(ureq::Error::BodyExceedsLimit(limit)) => {
                return Attempt::Never(Cause::Unusable(format!("it is larger than {} MiB", limit >> 20)));
            }
            Err(ureq::Error::Timeout(_)) => return again(Cause::Unreachable("it takes too long".to_owned())),
            Err(error) => return again(Cause::Unusable(format!("it was cut off ({})", plain(&error)))),
        };
        let told = header(&headers, "retry-after").and_then(seconds);
        match status {
            200..300 if now.is_none() => {
                Attempt::Never(Cause::Unusable("it does not say when it was given".to_owned()))
            }
            200..300 => {
                let text = |name| header(&headers, name).map(str::to_owned);
                Attempt::Answered(Answer::Said { bytes, link: text("link"), tag: text("etag") })
            }
            500..600 if asks => Attempt::Again(Cause::Unreachable(format!("it answered with status {status}")), told),
            500..600 => Attempt::Never(Cause::Unreachable(format!("it answered with status {status}"))),
            _ => refused(status, &headers, &said(&bytes), now),
        }
    }

    fn send(&self, question: &Question<'_>) -> Result<Response<Body>, ureq::Error> {
        let method = question.body.map_or("GET", |(method, _)| method);
        let mut request = Request::builder()
            .method(method)
            .uri(question.url.as_str())
            .header("accept", "application/vnd.github+json, application/json")
            .header("x-github-api-version", "2022-11-28");
        if let Some(token) = &self.token {
            request = request.header("authorization", token.authorization().as_str());
        }
        if let Some(tag) = question.tag {
            request = request.header("if-none-match", tag);
        }
        match question.body {
            None => self.agent.run(request.body(())?),
            Some((_, body)) => self.agent.run(request.header("content-type", "application/json").body(body)?),
        }
    }

    /// To another address of the same forge, as one of a repository that has another name now. What is sent goes nowhere else.
    fn sent_on(&self, question: &Question<'_>, status: u16, headers: &HeaderMap) -> Attempt {
        let Some(to) = header(headers, "location").filter(|_| question.body.is_none()) else {
            return Attempt::Never(Cause::Refused(status, String::new()));
        };
        match self.own(to, question.url) {
            Ok(url) => Attempt::Elsewhere(url),
            Err(refusal) => Attempt::Never(refusal.cause),
        }
    }
}

/// A refusal is a limit of requests where it says so: GitHub uses 403 for both.
fn refused(status: u16, headers: &HeaderMap, said: &str, now: Option<Timestamp>) -> Attempt {
    let told = header(headers, "retry-after").and_then(seconds);
    let exhausted = header(headers, "x-ratelimit-remaining") == Some("0");
    let limited = exhausted || told.is_some() || said.to_ascii_lowercase().contains("rate limit");
    if !(status == 429 || status == 403 && limited) {
        return Attempt::Never(Cause::Refused(status, said.to_owned()));
    }
    let reset = header(headers, "x-ratelimit-reset").filter(|_| exhausted).and_then(|text| text.parse().ok());
    let reset = reset.and_then(|second| Timestamp::from_second(second).ok());
    let until_reset = reset.zip(now).map(|(reset, now)| reset.duration_since(now).try_into().unwrap_or_default());
    let pause = told.or(until_reset).unwrap_or(UNTOLD_PAUSE);
    let end = now.and_then(|now| now.checked_add(pause).ok());
    Attempt::Again(Cause::Limited(reset.filter(|_| told.is_none()).or(end)), Some(pause))
}

fn unanswered(error: &ureq::Error, again: impl FnOnce(Cause) -> Attempt) -> Attempt {
    match error {
        ureq::Error::Io(_) | ureq::Error::Timeout(_) | ureq::Error::ConnectionFailed | ureq::Error::HostNotFound => {
            again(Cause::Unreachable(plain(error)))
        }
        ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) => {
            Attempt::Never(Cause::Unusable(plain(error)))
        }
        _ => Attempt::Never(Cause::Unreachable(plain(error))),
    }
}

fn plain(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => "the other side hung up".to_owned(),
        ureq::Error::Io(error) => error.to_string(),
        error => error.to_string(),
    }
}

fn body(response: &mut Response<Body>) -> Result<Vec<u8>, ureq::Error> {
    response.body_mut().with_config().limit(LARGEST).read_to_vec()
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

fn seconds(text: &str) -> Option<Duration> {
    text.trim().parse().ok().map(Duration::from_secs)
}

/// A date of HTTP, which is one of RFC 2822 too.
fn date(text: &str) -> Option<Timestamp> {
    rfc2822::DateTimeParser::new().parse_timestamp(text).ok()
}

/// What GitHub says with a refusal, on one line.
fn said(bytes: &[u8]) -> String {
    let body: Option<serde_json::Value> = serde_json::from_slice(bytes).ok();
    let message = body.as_ref().and_then(|body| body.get("message")?.as_str()).unwrap_or_default();
    message.chars().take(SAID).map(|mark| if mark.is_control() || mark == '`' { ' ' } else { mark }).collect()
}
