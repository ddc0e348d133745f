//! As much of HTTP/1.1 as a forge needs.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
};

use jiff::{Timestamp, fmt::rfc2822};
use runmill_model::Digest;
use serde_json::Value;

/// A question.
#[derive(Debug, Clone)]
pub struct Asked {
    /// `GET` or `POST`.
    pub method: String,
    /// Without what follows the `?`.
    pub path: String,
    /// What follows it.
    pub search: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// What was sent.
    pub body: Vec<u8>,
}

impl Asked {
    /// The next question on a connection; none when it has ended.
    pub fn read(stream: &mut TcpStream) -> Option<Self> {
        // Nothing is sent before it is answered, so a reader of its own takes nothing away from the next one.
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
        let mut words = line.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        let (path, search) = target.split_once('?').unwrap_or((&target, ""));
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let length = headers.iter().find(|(name, _)| name == "content-length").map_or("0", |(_, value)| value);
        let mut body = vec![0; length.parse().ok()?];
        reader.read_exact(&mut body).ok()?;
        Some(Self { method, path: path.to_owned(), search: search.to_owned(), headers, body })
    }

    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// What it asks for.
    pub fn queries(&self) -> impl Iterator<Item = (String, String)> {
        let pairs = self.search.split('&').filter_map(|pair| pair.split_once('='));
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned()))
    }

    /// One of these.
    pub fn query(&self, name: &str) -> Option<String> {
        self.queries().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// How many bytes of the body are left out, though promised.
    missing: usize,
    /// Whether it says when it was given, and what it is known by.
    plain: bool,
}

impl Reply {
    /// An answer with nothing in it.
    pub fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new(), missing: 0, plain: false }
    }

    /// With this in it.
    pub fn with(self, body: &Value) -> Self {
        self.bytes(body.to_string())
    }

    /// With these bytes in it.
    pub fn bytes(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.body = bytes.into();
        self
    }

    /// With a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Broken off before its end.
    pub fn cut(mut self, missing: usize) -> Self {
        self.missing = missing;
        self
    }

    /// Without a date.
    pub fn undated(mut self) -> Self {
        self.plain = true;
        self
    }

    /// Whether nothing more can be said after it.
    pub fn hangs_up(&self) -> bool {
        self.missing > 0
    }

    /// Says it; that nothing has changed, where the asker knows it.
    pub fn write(&self, asked: &Asked, now: Timestamp, stream: &mut TcpStream) -> io::Result<()> {
        let tag =
            format!("\"{}\"", Digest::of(&[&self.body[..], format!("{:?}", self.headers).as_bytes()].concat()).hex());
        let known = self.status == 200 && asked.header("if-none-match") == Some(&tag);
        let (status, body) = if known { (304, &[][..]) } else { (self.status, &self.body[..]) };
        let mut head = format!("HTTP/1.1 {status} .\r\n");
        if status != 304 {
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        if !self.plain {
            head.push_str(&format!(
                "date: {}\r\n",
                rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&now).unwrap()
            ));
            head.push_str(&format!("etag: {tag}\r\nx-poll-interval: 0\r\n"));
        }
        self.headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
        let kept = body.len() - self.missing.min(body.len());
        stream.write_all(format!("{head}\r\n").as_bytes())?;
        stream.write_all(&body[..kept])?;
        stream.flush()
    }
}
