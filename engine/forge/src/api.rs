//! Where a forge answers, and which repository of it is meant.

use std::{fmt, str::FromStr};

use runmill_model::{Code, Problem};
use url::{Host, Url};

/// The address of the public GitHub.
pub const GITHUB: &str = "https://api.github.com";

/// The address of a forge's interface, such as `https://api.github.com`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Api(Url);

impl Api {
    /// The address of something below it; each part stands for itself, whatever is in it.
    pub(crate) fn at<'p>(
        &self,
        path: impl IntoIterator<Item = &'p str>,
        query: impl IntoIterator<Item = (&'p str, &'p str)>,
    ) -> Url {
        let mut url = self.0.clone();
        if let Ok(mut parts) = url.path_segments_mut() {
            parts.pop_if_empty().extend(path);
        }
        let query: Vec<_> = query.into_iter().collect();
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }

    /// Whether an address is the same forge's: a token may go there, and nowhere else.
    pub(crate) fn is_home_of(&self, url: &Url) -> bool {
        url.origin() == self.0.origin() && url.username().is_empty() && url.password().is_none()
    }

    /// The host that `gh` knows it by: `github.com`, or that of a server of one's own.
    pub fn host(&self) -> &str {
        match self.0.host_str() {
            None | Some("api.github.com") => "github.com",
            Some(host) => host,
        }
    }
}

impl FromStr for Api {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let refused = |why: &str| {
            let help = "give the address of the interface, such as `https://api.github.com` or `https://HOST/api/v3`";
            Problem::new(Code::Config004, format!("`--api` {why}"), help)
        };
        let url = Url::parse(text).map_err(|_| refused("is no address"))?;
        // Whatever is in there may be a secret, so it is not told.
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("holds a user or a password; a token comes from the environment"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(refused("holds more than a path"));
        }
        let loopback = match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => return Err(refused("names no host")),
        };
        match url.scheme() {
            "https" => Ok(Self(url)),
            "http" if loopback => Ok(Self(url)),
            "http" => Err(refused("is not encrypted; only an address of this very machine may do without")),
            _ => Err(refused("is neither `https` nor `http`")),
        }
    }
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_str().trim_end_matches('/').fmt(f)
    }
}

/// A repository of a forge, as `owner/name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryName {
    owner: String,
    name: String,
}

impl RepositoryName {
    /// The path of something of this repository.
    pub fn path<'p>(&'p self, rest: &[&'p str]) -> Vec<&'p str> {
        ["repos", &self.owner, &self.name].into_iter().chain(rest.iter().copied()).collect()
    }
}

impl FromStr for RepositoryName {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let plain = |part: &str| {
            let allowed = |mark: char| mark.is_ascii_alphanumeric() || matches!(mark, '-' | '_' | '.');
            !matches!(part, "" | "." | "..") && part.chars().all(allowed)
        };
        match text.split_once('/') {
            Some((owner, name)) if plain(owner) && plain(name) => {
                Ok(Self { owner: owner.to_owned(), name: name.to_owned() })
            }
            _ => {
                let message = format!("`{}` names no repository of a forge", text.escape_debug());
                Err(Problem::new(Code::Config004, message, "write `OWNER/REPO`, such as `acme/shop`"))
            }
        }
    }
}

impl fmt::Display for RepositoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_encrypted_or_of_this_machine() {
        for good in
            ["https://api.github.com", "https://h/api/v3/", "http://127.0.0.1:80", "http://[::1]", "http://localhost"]
        {
            good.parse::<Api>().unwrap();
        }
        for bad in [
            "",
            "api.github.com",
            "http://api.github.com",
            "ftp://localhost",
            "https://a:b@h",
            "https://h?q",
            "file:///x",
        ] {
            assert_eq!(bad.parse::<Api>().unwrap_err().code, Code::Config004, "{bad}");
        }
        assert!(!"https://u:hunter2@h".parse::<Api>().unwrap_err().message.contains("hunter2"));
        let api: Api = GITHUB.parse().unwrap();
        assert_eq!((api.host(), api.to_string().as_str()), ("github.com", GITHUB));
        assert_eq!("https://h/api/v3".parse::<Api>().unwrap().host(), "h");
    }

    #[test]
    fn parts_of_a_path_stand_for_themselves() {
        let api: Api = "https://h/api/v3/".parse().unwrap();
        let repository: RepositoryName = "a/b".parse().unwrap();
        let url = api.at(repository.path(&["branches", "x/../y ?", "protection"]), [("a", "b&c")]);
        assert_eq!(url.as_str(), "https://h/api/v3/repos/a/b/branches/x%2F..%2Fy%20%3F/protection?a=b%26c");
        for bad in ["", "a", "a/", "/b", "a/b/c", "../b", "a b/c", "a/?"] {
            assert_eq!(bad.parse::<RepositoryName>().unwrap_err().code, Code::Config004, "{bad}");
        }
    }

    #[test]
    fn a_token_goes_to_one_origin() {
        let api: Api = "https://h/api/v3".parse().unwrap();
        let home = |url: &str| api.is_home_of(&Url::parse(url).unwrap());
        assert!(home("https://h/other") && home("https://h:443/"));
        for url in ["http://h/", "https://h:444/", "https://h.evil/", "https://u@h/", "https://evil/h"] {
            assert!(!home(url), "{url}");
        }
    }
}
