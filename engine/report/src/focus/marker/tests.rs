use crate::focus::focus_markers;

fn check(path: &str, source: &str, expect: &[(u64, &str)]) {
    let markers = focus_markers(path, source.as_bytes());
    let found: Vec<_> = markers.iter().map(|marker| (marker.line, marker.token.as_str())).collect();
    assert_eq!(found, expect, "{path}: {source}");
}

#[test]
fn finds_focus_in_scripts() {
    for (source, token) in [
        ("it.only('a', () => {})", "it.only"),
        ("describe . only (`a`, f)", "describe.only"),
        ("test.only.each([1])('a', f)", "test.only"),
        ("test.only<Ctx>('a', f)", "test.only"),
        ("test.describe.only('a', f)", "describe.only"),
        ("Deno.test.only('a', f)", "test.only"),
        ("dbTest.only('a', f)", "dbTest.only"),
        ("it['only']('a', f)", "['only']"),
        ("test('a', { only: true }, f)", "only: true"),
        ("fit('a', f)", "fit"),
        ("fit(title, () => {})", "fit"),
        ("fdescribe('a', function () {})", "fdescribe"),
        ("fit.each([1])('a', f)", "fit"),
        ("`${it.only('a', f)}`", "it.only"),
    ] {
        check("a.test.ts", source, &[(1, token)]);
    }
    check("a.test.js", "const a = 1;\n\n  it\n    .only('b', f);\n", &[(4, "it.only")]);
}

#[test]
fn leaves_strings_comments_and_other_words_of_scripts_alone() {
    for source in [
        "profit(3); benefit('a', f); unfit()",
        "// it.only('a')\n/* fit('a', f) */",
        "const a = 'it.only(', b = \"fit('a', f)\", c = `it.only('a') ${1} fdescribe('x', f)`",
        "const re = /it.only(/; const s = x.match(/[/]fit('a', f)/)",
        "const a = '\\'it.only(\\''",
        "model.fit('a', f); curve = fit(points, 3)",
        "class A { fit('a') { return 1 } }\nfunction fit(a) {}",
        "options.only; if (only) {}; { only: false }; import only from 'x'; only('a')",
        "const half = total / 2; // it.only(\nconst x = '/'",
    ] {
        check("a.test.js", source, &[]);
    }
    check("a.test.js", "x = a / b; it.only('c', f) / 2", &[(1, "it.only")]);
    check("a.test.jsx", "<p>Don't</p>\nit.only('a', f)", &[(2, "it.only")]);
    check("a.test.js", "`a ${ b ? `c ${d}` : '' } it.only(`;\nfit('e', f)", &[(2, "fit")]);
}

#[test]
fn finds_focus_in_ruby() {
    for (source, token) in [
        ("it 'a', :focus do", ":focus"),
        ("it 'a', :focus => true do", ":focus"),
        ("describe Thing, focus: true do", "focus: true"),
        ("fit 'a' do", "fit"),
        ("fit('a') { x }", "fit"),
        ("fdescribe Thing do", "fdescribe"),
        ("RSpec.fdescribe 'a' do", "fdescribe"),
        ("  focus\n  it 'a' do", "focus"),
    ] {
        check("a_spec.rb", source, &[(1, token)]);
    }
    for source in [
        "config.filter_run_when_matching :focus",
        "config.filter_run focus: true",
        "# it 'a', :focus do\n=begin\nfit 'a' do\n=end\n",
        "puts 'fit \"a\" do', \"it :focus\", %w[:focus fit]",
        "it 'a', focus: false do\nit 'b', :focus => false do",
        "x = <<~EOS\n  fit 'a' do\n  it 'b', :focus do\nEOS\n",
        "window.focus; profit 'a'; fit = 3; Foo::focus; def fit('a')",
        "name =~ /:focus/",
    ] {
        check("a_spec.rb", source, &[]);
    }
    check("a_spec.rb", "x = <<~A\n  fit 'a' do\nA\nfit 'b' do", &[(4, "fit")]);
    check("a_spec.rb", "x = \"#{h[\"a\"]}\"\nfit 'b' do", &[(2, "fit")]);
}

#[test]
fn finds_focus_in_go_swift_shell_and_python() {
    check("a_test.go", "FIt(\"a\", func() {})", &[(1, "FIt")]);
    check(
        "a_test.go",
        "ginkgo.FDescribeTable(\"a\", f,\n  ginkgo.FEntry(\"b\", 1))",
        &[(1, "FDescribeTable"), (2, "FEntry")],
    );
    check("a_test.go", "It(\"a\", Focus, func() {})", &[(1, "Focus")]);
    check("a_test.go", "It(\"a\", ginkgo.Focus, func() {})", &[(1, "Focus")]);
    check("a_test.go", "// FIt(\"a\")\nx := `FIt(\"a\")` + \"FIt(\"\nfunc FIt(a string) {}\nw.Focus(1)", &[]);
    check("ASpec.swift", "fit(\"a\") { }\nfdescribe(\"b\") {", &[(1, "fit"), (2, "fdescribe")]);
    check(
        "ASpec.swift",
        "view.fit(\"a\")\nfunc fit(a: Int) {}\n/* /* */ fit(\"a\") { } */\nlet a = #\"fit(\"x\")\"#",
        &[],
    );
    check("a_spec.sh", "fIt 'a'\n  fDescribe \"b\"", &[(1, "fIt"), (2, "fDescribe")]);
    check("a_spec.sh", "# fIt 'a'\necho fIt 'a'\ncat <<EOF\nfIt 'b'\nEOF\nIt 'c'", &[]);
    check("a.bats", "# bats test_tags=slow, bats:focus\n@test \"a\" { true; }", &[(1, "bats:focus")]);
    check("test_a.py", "@pytest.mark.only\ndef test_a(): pass", &[(1, "mark.only")]);
    check("test_a.py", "# pytest.mark.only\nx = '''pytest.mark.only'''\n", &[]);
    check("a.rs", "fit(\"a\"); it.only(\"b\")", &[]);
}
