//! How others call this repository and its branches.

use super::{Repository, error::GitError};

impl Repository {
    /// The name of the repository that this is a clone of: the address of `origin`, else of the only remote, without scheme,
    /// user, port and `.git`, such as `github.com/acme/shop`. None without a remote.
    ///
    /// # Errors
    /// RM-REPO-001: the remotes cannot be read.
    pub fn remote_name(&self) -> Result<Option<String>, GitError> {
        let Some(remote) = self.main_remote()? else { return Ok(None) };
        let objects = self.objects();
        let url = objects.git.find_remote(&remote).ok().and_then(|remote| remote.url().ok().map(str::to_owned));
        Ok(url.and_then(|url| name_of(&url)))
    }

    /// The branch that a revision is written as, without its remote: `main` for `main`, `origin/main`, `refs/heads/main`
    /// and `refs/remotes/origin/main`. None for anything else, such as a commit id.
    pub fn target_branch(&self, revision: &str) -> Option<String> {
        let objects = self.objects();
        let git = &objects.git;
        let exists = |name: &str| git2::Reference::is_valid_name(name) && git.find_reference(name).is_ok();
        let local = revision.strip_prefix("refs/heads/").unwrap_or(revision);
        if exists(&format!("refs/heads/{local}")) {
            return Some(local.to_owned());
        }
        let remote = revision.strip_prefix("refs/remotes/").unwrap_or(revision);
        let (_, branch) = remote.split_once('/')?;
        exists(&format!("refs/remotes/{remote}")).then(|| branch.to_owned())
    }
}

/// The name in an address: `https://user@host:port/path.git`, `user@host:path.git` or a path.
fn name_of(url: &str) -> Option<String> {
    let (place, path) = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/').unwrap_or((rest, "")),
        None => match url.split_once(':') {
            Some((host, path)) if !host.contains('/') => (host, path),
            _ => ("", url),
        },
    };
    let host = place.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default().to_lowercase();
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let path = if host.is_empty() { path } else { path.trim_start_matches('/') };
    let name = if host.is_empty() { path.to_owned() } else { format!("{host}/{path}") };
    let usable = !path.is_empty() && name.len() <= 512 && !name.contains(char::is_control);
    usable.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::Sample, *};

    #[test]
    fn one_repository_has_one_name_however_it_is_reached() {
        for url in [
            "https://github.com/acme/shop.git",
            "https://github.com/acme/shop",
            "https://token:secret@github.com/acme/shop.git/",
            "https://GitHub.com:443/acme/shop?x=y#z",
            "ssh://git@github.com:22/acme/shop.git",
            "git@github.com:acme/shop.git",
            "github.com:/acme/shop",
        ] {
            assert_eq!(name_of(url).as_deref(), Some("github.com/acme/shop"), "{url}");
        }
        assert_eq!(name_of("/srv/git/shop.git").as_deref(), Some("/srv/git/shop"));
        assert_eq!(name_of("file:///srv/git/shop.git").as_deref(), Some("srv/git/shop"));
        for url in ["", "https://github.com", "git@github.com:", "a\nb"] {
            assert_eq!(name_of(url), None, "{url}");
        }
    }

    #[test]
    fn a_branch_is_the_same_here_and_at_a_remote() {
        let sample = Sample::new();
        sample.write("a", "1");
        let commit = sample.commit("one");
        assert_eq!(sample.open().remote_name().unwrap(), None);
        sample.git(&["remote", "add", "origin", "git@github.com:acme/shop.git"]);
        sample.git(&["update-ref", "refs/remotes/origin/release/1", commit.as_str()]);
        let repository = sample.open();
        assert_eq!(repository.remote_name().unwrap().as_deref(), Some("github.com/acme/shop"));
        for (revision, branch) in [
            ("main", Some("main")),
            ("refs/heads/main", Some("main")),
            ("origin/release/1", Some("release/1")),
            ("refs/remotes/origin/release/1", Some("release/1")),
            ("main~1", None),
            ("origin/main", None),
            (commit.as_str(), None),
        ] {
            assert_eq!(repository.target_branch(revision).as_deref(), branch, "{revision}");
        }
    }
}
