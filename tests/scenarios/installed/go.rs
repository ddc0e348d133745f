//! Go modules, from a proxy that is a directory.

use std::{fs, path::Path};

use super::Project;

const ZIP: &str = r#"
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for name, text in [("go.mod", "module example.com/dep\n\ngo 1.19\n"), ("dep.go", "package dep\n\nfunc Double(n int) int { return n * 2 }\n")]:
        archive.writestr("example.com/dep@v1.0.0/" + name, text)
"#;

#[test]
fn a_module_of_a_proxy() {
    let project = Project::new();
    let proxy = project.repo.place("proxy/example.com/dep/@v");
    fs::create_dir_all(&proxy).unwrap();
    fs::write(proxy.join("list"), "v1.0.0\n").unwrap();
    fs::write(proxy.join("v1.0.0.info"), r#"{ "Version": "v1.0.0", "Time": "2024-01-01T00:00:00Z" }"#).unwrap();
    fs::write(proxy.join("v1.0.0.mod"), "module example.com/dep\n\ngo 1.19\n").unwrap();
    let zip = proxy.join("v1.0.0.zip").display().to_string();
    project.run("python3", &["-c", ZIP, &zip]);
    let from = format!("file://{}", project.repo.place("proxy").display());
    let cache = project.repo.place("modules");
    let project = project.with("GOPROXY", from).with("GOSUMDB", "off").with("GOFLAGS", "-modcacherw");
    let project = project.with("GOMODCACHE", cache.display().to_string());
    let repo = &project.repo;
    repo.file("go.mod", "module example.com/project\n\ngo 1.19\n\nrequire example.com/dep v1.0.0\n");
    repo.file(
        "project.go",
        "package project\n\nimport \"example.com/dep\"\n\nfunc Four() int { return dep.Double(2) }\n",
    );
    repo.file("project_test.go", "package project\n\nimport \"testing\"\n\nfunc TestFour(t *testing.T) {\n\tif Four() != 4 {\n\t\tt.Fail()\n\t}\n}\n");
    repo.file(".runmill/checks.yaml", "checks:\n  - { id: unit, run: go test ./..., dependencies: [go] }\n");
    project.run("go", &["mod", "tidy"]);
    let project = project.committed();
    assert_eq!(project.ready().result("unit", "candidate")["status"], "passed");
    let module = |_: &Path| cache.join("example.com/dep@v1.0.0");
    let edit = |at: &Path| fs::write(module(at).join("dep.go"), "package dep\n").unwrap();
    project.refused(edit, "does not have the hash", "go clean -modcache");
    let add = |at: &Path| fs::write(module(at).join("added.go"), "package dep\n").unwrap();
    project.refused(add, "does not have the hash", "go mod download");
    project.run("go", &["clean", "-modcache"]);
    project.refused(|_| (), "required modules are not in", "go mod download");
    project.run("go", &["mod", "download"]);
    project.ready();
    project
        .repo
        .file("go.mod", "module example.com/project\n\ngo 1.19\n\nrequire example.com/dep v1.1.0\n")
        .commit("stale");
    project.check().error().is("RM-VERIFY-005", 1).says("is stale").says("go mod tidy");
}
