//! Module caches made up for each fault.

use std::fs;

use runmill_manifest::checks::Ecosystem::Go;
use runmill_model::Digest;

use super::modules::h1;
use crate::{
    FaultKind,
    commit::made_up::Commit,
    made_up::{Site, listing, refused},
};

const MOD: &str = "module example.com/project

go 1.21

require (
\texample.com/Dep v1.2.0 // of the tests
\texample.com/indirect v0.1.0 // indirect
)

replace example.com/local => ./local
require example.com/local v0.0.0
";

const FILES: &[(&str, &str)] = &[("dep.go", "package dep\n"), ("go.mod", "module example.com/Dep\n"), ("sub/x.go", "")];

fn sum(module: &str, files: &[(&str, &str)]) -> String {
    let hashed: Vec<_> =
        files.iter().map(|(path, text)| (format!("{module}/{path}"), Digest::of(text.as_bytes()))).collect();
    h1(&hashed)
}

fn manifest_sum(text: &str) -> String {
    h1(&[("go.mod".to_owned(), Digest::of(text.as_bytes()))])
}

fn sums() -> String {
    let indirect = "module example.com/indirect\n";
    format!(
        "example.com/Dep v1.2.0 {}\nexample.com/Dep v1.2.0/go.mod {}\n\
         example.com/indirect v0.1.0 {}\nexample.com/indirect v0.1.0/go.mod {}\n\
         example.com/other v9.0.0 h1:never=\nexample.com/other v9.0.0/go.mod h1:never=\n",
        sum("example.com/Dep@v1.2.0", FILES),
        manifest_sum("module example.com/Dep\n"),
        sum("example.com/indirect@v0.1.0", &[("go.mod", indirect)]),
        manifest_sum(indirect),
    )
}

fn commit() -> Commit {
    Commit::with(&[("go.mod", MOD), ("go.sum", &sums())])
}

fn downloaded() -> Site {
    let site = Site::new();
    let cache = site.home("go/pkg/mod");
    for (path, text) in FILES {
        site.write(&cache.join("example.com/!dep@v1.2.0").join(path), text);
    }
    let indirect = "module example.com/indirect\n";
    site.write(&cache.join("example.com/indirect@v0.1.0/go.mod"), indirect);
    site.write(&cache.join("cache/download/example.com/!dep/@v/v1.2.0.mod"), "module example.com/Dep\n");
    site.write(&cache.join("cache/download/example.com/indirect/@v/v0.1.0.mod"), indirect);
    site
}

#[test]
fn a_hash_is_the_one_go_makes() {
    // The `go.mod` of golang.org/x/text v0.3.0 is `module golang.org/x/text` and a line end; its sum is public.
    assert_eq!(manifest_sum("module golang.org/x/text\n"), "h1:NqM8EUOU14njkJ3fqMW+pc6Ldnwhi/IjpwHt7yyuwOQ=");
}

#[test]
fn modules_with_their_hashes_become_a_cache() {
    let site = downloaded();
    let prepared = site.prepare(Go, &commit()).unwrap();
    assert_eq!(prepared.receipt.packages, ["example.com/Dep@v1.2.0", "example.com/indirect@v0.1.0"]);
    assert_eq!(prepared.receipt.omitted, ["example.com/other@v9.0.0"]);
    let [mount] = prepared.mounts.as_slice() else { panic!() };
    let found = listing(&mount.host);
    for there in [
        "example.com/!dep@v1.2.0/sub/x.go",
        "cache/download/example.com/!dep/@v/v1.2.0.ziphash",
        "cache/download/example.com/indirect/@v/v0.1.0.info",
    ] {
        assert!(found.contains(&there.to_owned()), "{there} in {found:?}");
    }
    assert_eq!(prepared.env["GOMODCACHE"], mount.at.as_str());
    assert_eq!(prepared.env["GOPROXY"], "off");
}

#[test]
fn every_alteration_of_the_cache_is_found() {
    let check = |alter: fn(&Site), kind, message: &str| {
        let site = downloaded();
        alter(&site);
        refused(site.prepare(Go, &commit()), kind, message, "run `go mod download`");
    };
    let mismatch = FaultKind::Mismatch;
    check(
        |it| it.write(&it.home("go/pkg/mod/example.com/!dep@v1.2.0/dep.go"), "evil"),
        mismatch,
        "does not have the hash",
    );
    check(|it| it.write(&it.home("go/pkg/mod/example.com/!dep@v1.2.0/new.go"), ""), mismatch, "does not have the hash");
    check(
        |it| it.write(&it.home("go/pkg/mod/cache/download/example.com/!dep/@v/v1.2.0.mod"), "evil"),
        mismatch,
        "does not have the hash",
    );
    let gone = |it: &Site| fs::remove_file(it.home("go/pkg/mod/example.com/!dep@v1.2.0/sub/x.go")).unwrap();
    check(gone, mismatch, "does not have the hash");
    check(|it| it.link(&it.home("go/pkg/mod/example.com/!dep@v1.2.0/l"), "/etc/passwd"), mismatch, "neither a file");
    let all = |it: &Site| fs::remove_dir_all(it.home("go/pkg/mod/example.com/!dep@v1.2.0")).unwrap();
    check(all, FaultKind::Missing, "`example.com/Dep@v1.2.0`");
}

#[test]
fn sums_that_do_not_cover_what_is_required_are_stale() {
    let mut stale = commit();
    stale.set("go.mod", &MOD.replace("v1.2.0", "v1.3.0"));
    refused(
        downloaded().prepare(Go, &stale),
        FaultKind::StaleLock,
        "no hash for `example.com/Dep@v1.3.0`",
        "go mod tidy",
    );
    let mut none = commit();
    none.files.remove("go.sum");
    refused(downloaded().prepare(Go, &none), FaultKind::StaleLock, "no hash for", "go mod tidy");
    let with = |text: &str| {
        let mut commit = commit();
        commit.set("go.sum", text);
        downloaded().prepare(Go, &commit)
    };
    refused(with("a b"), FaultKind::InvalidLock, "cannot be read: `a b`", "go mod tidy");
    refused(with("../evil v1.0.0 h1:x="), FaultKind::InvalidLock, "cannot be read", "go mod tidy");
    let twice = format!("{}example.com/Dep v1.2.0 h1:other=\n", sums());
    refused(with(&twice), FaultKind::InvalidLock, "cannot be read", "go mod tidy");
    refused(downloaded().prepare(Go, &Commit::default()), FaultKind::Unlocked, "no `go.mod`", "go mod init");
}

#[test]
fn a_replacement_is_followed_and_one_outside_the_repository_is_refused() {
    let mut outside = commit();
    outside.set("go.mod", &format!("{MOD}replace example.com/Dep => /somewhere\n"));
    refused(downloaded().prepare(Go, &outside), FaultKind::Unsupported, "outside the repository", "");
    let mut other = commit();
    other.set("go.mod", &format!("{MOD}replace example.com/Dep => example.com/fork v1.0.0\n"));
    refused(downloaded().prepare(Go, &other), FaultKind::StaleLock, "`example.com/fork@v1.0.0`", "");
}

#[test]
fn vendored_modules_of_the_commit_need_no_cache() {
    let mut vendored = commit();
    vendored.set("vendor/modules.txt", "# example.com/Dep v1.2.0\n");
    let prepared = Site::new().prepare(Go, &vendored).unwrap();
    assert!(prepared.mounts.is_empty());
    assert_eq!(prepared.env["GOFLAGS"], "-mod=vendor");
}
