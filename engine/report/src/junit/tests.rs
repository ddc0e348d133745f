use runmill_model::TestArena;

use crate::{Format, Identity, Options, Reason, TestReport, parse};

fn read(text: &str, options: &Options) -> Result<(TestReport, TestArena), Reason> {
    let mut arena = TestArena::new();
    let report = parse(Format::Junit, text.as_bytes(), options, &mut arena).map_err(|rejection| rejection.reason)?;
    Ok((report, arena))
}

/// Reads test cases inside one suite: shown ids with `+` passed, `!` failed, `-` skipped, `~` flaky.
fn check(cases: &str, expect: Result<&[&str], Reason>) {
    check_with(&format!("<testsuite name='s'>{cases}</testsuite>"), Identity::Classname, expect);
}

fn check_with(text: &str, identity: Identity, expect: Result<&[&str], Reason>) {
    let found = read(text, &Options { identity, ..Options::default() }).map(|(report, arena)| {
        let mark = |id| match id {
            id if report.flaky.contains(id) => '~',
            id if report.passed.contains(id) => '+',
            id if report.failed.contains(id) => '!',
            _ => '-',
        };
        arena.ids().map(|id| format!("{}{}", mark(id), arena.shown(id))).collect::<Vec<_>>()
    });
    let expect = expect.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>());
    assert_eq!(found, expect, "{text}");
}

#[test]
fn children_and_attributes_decide_the_status() {
    check("<testcase name='a'/>", Ok(&["+a"]));
    check("<testcase name='a'><failure/></testcase><testcase name='b'><error>x</error></testcase>", Ok(&["!a", "!b"]));
    check("<testcase name='a'><skipped/></testcase>", Ok(&["-a"]));
    check("<testcase name='a'><skipped/><failure/></testcase>", Ok(&["!a"]));
    check("<testcase name='a'><flakyFailure><stackTrace>x</stackTrace></flakyFailure></testcase>", Ok(&["~a"]));
    check("<testcase name='a'><failure/><rerunFailure/></testcase>", Ok(&["!a"]));
    check("<testcase name='a'><x><FAILURE/></x></testcase>", Ok(&["!a"]));
    check("<testcase name='a'><properties><property/></properties><unknown/></testcase>", Ok(&["+a"]));
    for status in ["disabled", "notrun", "skipped", "ignored", "inactive"] {
        check(&format!("<testcase name='a' status='{status}'/>"), Ok(&["-a"]));
    }
    for result in ["suppressed", "skipped"] {
        check(&format!("<testcase name='a' status='run' result='{result}'/>"), Ok(&["-a"]));
    }
    check("<testcase name='a' status='fail'/>", Ok(&["!a"]));
    check("<testcase name='a' status='notrun'><failure/></testcase>", Ok(&["!a"]));
    check("<testcase name='a' status='run' result='completed'/>", Ok(&["+a"]));
}

#[test]
fn output_is_never_evidence() {
    check("<testcase name='a'><system-out><failure/><skipped/></system-out></testcase>", Ok(&["+a"]));
    check(
        "<testcase name='a'><system-out><![CDATA[</testcase><testcase name='b'>]]></system-out></testcase>",
        Ok(&["+a"]),
    );
    check("<testcase name='a'/><!-- <testcase name='b'/> -->", Ok(&["+a"]));
    check("<system-out><testcase name='b'/></system-out><testcase name='a'/>", Ok(&["+a"]));
}

#[test]
fn identity_is_the_pair_of_classname_and_name() {
    check("<testcase classname='' name='a'/><testcase classname='c' name='a'/>", Ok(&["+a", "+c::a"]));
    check("<testcase classname=' c\n' name='a&#10;b'/>", Ok(&["+c::a\nb"]));
    check("<testcase classname='c' name=' '/>", Err(Reason::EmptyId));
    check("<testcase classname='c'/>", Err(Reason::EmptyId));
    check("<testcase name='a'/><testcase name='a'/>", Err(Reason::DuplicateId));
    check("<testcase classname='a::b' name='c'/><testcase classname='a' name='b::c'/>", Err(Reason::AmbiguousId));
    check("<testcase classname='a' name='b'/><testcase name='a::b'/>", Err(Reason::AmbiguousId));
    check("<testcase name='a::b'/><testcase classname='a' name='b'/>", Err(Reason::AmbiguousId));
    check("<testcase classname='a' name=':b'/><testcase classname='a:' name='b'/>", Err(Reason::AmbiguousId));
    check("<testcase classname='a' name='b::c'/><testcase classname='a::b' name='d'/>", Ok(&["+a::b::c", "+a::b::d"]));
}

#[test]
fn identities_can_be_widened() {
    let text = "<testsuites><testsuite name='p' file='f' hostname='h'><testsuite name='q'><testcase classname='c' name='a'/>\
                </testsuite><testcase name='b' file='g'/></testsuite></testsuites>";
    check_with(text, Identity::Suite, Ok(&["+p > q::c::a", "+p::b"]));
    check_with(text, Identity::File, Ok(&["+f::c::a", "+g::b"]));
    check_with(text, Identity::SuiteHostname, Ok(&["+p > q > h::c::a", "+p > h::b"]));
    let bare = "<testsuites><testcase name='a'/></testsuites>";
    for identity in [Identity::Suite, Identity::File, Identity::SuiteHostname] {
        check_with(bare, identity, Err(Reason::MissingAttribute));
    }
    let unnamed = "<testsuite><testsuite name='q'><testcase name='a'/></testsuite></testsuite>";
    check_with(unnamed, Identity::Suite, Err(Reason::MissingAttribute));
    let alike = "<testsuite name='r'><testsuite name='a &gt; b'><testcase name='x'/></testsuite>\
                 <testsuite name='a'><testsuite name='b'><testcase name='x'/></testsuite></testsuite></testsuite>";
    check_with(alike, Identity::Suite, Err(Reason::AmbiguousId));
}

#[test]
fn what_is_not_well_formed_is_refused() {
    for text in [
        "<testsuite><testcase name='a&nbsp;b'/></testsuite>",
        "<testsuite><testcase name='a&AMP;b'/></testsuite>",
        "<testsuite><testcase name='a&#0;'/></testsuite>",
        "<testsuite><testcase name='a&#x1b;'/></testsuite>",
        "<testsuite><testcase name='a&#xD800;'/></testsuite>",
        "<testsuite><testcase name='a & b'/></testsuite>",
        "<testsuite><testcase name='a<b'/></testsuite>",
        "<testsuite><testcase name=a/></testsuite>",
        "<testsuite><testcase name/></testsuite>",
        "<testsuite><testcase name='a' name='b'/></testsuite>",
        "<testsuite><testcase name='a' time='1' time='1'/></testsuite>",
        "<testsuite><testcase name='a'>\u{1}</testcase></testsuite>",
        "<testsuite><testcase name='a'>\u{fffe}</testcase></testsuite>",
        "<testsuite><testcase name='a'>&nope;</testcase></testsuite>",
        "<testsuite><testcase name='a'>a & b</testcase></testsuite>",
        "<testsuite><testcase name='a'>]]></testcase></testsuite>",
        "<testsuite><testcase name='a'></testsuite></testcase>",
        "<testsuite><testcase name='a'/></testsuite></testsuite>",
        "<testsuite><testcase name='a'/></testsuite>x",
        "x<testsuite><testcase name='a'/></testsuite>",
        "<testsuite><testcase name='a'/></testsuite>&amp;",
        "<testsuite><testcase name='a'/></testsuite><![CDATA[]]>",
        "<testsuite><testcase name='a'/></testsuite><testsuite/>",
        "<testsuite><testcase name='a'/>",
        "<testsuite><testcase name='a'/><!-- -- --></testsuite>",
        "<testsuite><testcase name='a'/><!ENTITY x 'y'></testsuite>",
        "<testsuite><1a/><testcase name='a'/></testsuite>",
        "<testsuite><testcase name='a'><testcase name='b'/></testcase></testsuite>",
        "<testsuite><testcase name='a'><testsuite/></testcase></testsuite>",
        " <?xml version='1.0'?><testsuite><testcase name='a'/></testsuite>",
        "<?xml version='2.0'?><testsuite><testcase name='a'/></testsuite>",
        "<?xml encoding='UTF-8'?><testsuite><testcase name='a'/></testsuite>",
        "<testsuite><?XML x?><testcase name='a'/></testsuite>",
        "<!-- x -->",
    ] {
        check_with(text, Identity::Classname, Err(Reason::Malformed));
    }
}

#[test]
fn other_documents_are_refused_by_name() {
    let test = "<testcase name='a'/>";
    for (text, reason) in [
        (format!("<!DOCTYPE testsuite><testsuite>{test}</testsuite>"), Reason::Doctype),
        (format!("<testsuite><!DOCTYPE x>{test}</testsuite>"), Reason::Doctype),
        (format!("<testrun><testsuite>{test}</testsuite></testrun>"), Reason::NotJunit),
        (test.to_owned(), Reason::NotJunit),
        ("<html></html>".to_owned(), Reason::NotJunit),
        (format!("<x:testsuite>{test}</x:testsuite>"), Reason::UnsupportedNamespace),
        (format!("<testsuite>{test}<x:testcase name='b'/></testsuite>"), Reason::UnsupportedNamespace),
        (format!("<?xml version='1.0' encoding='latin1'?><testsuite>{test}</testsuite>"), Reason::UnsupportedEncoding),
        (format!("<testsuite name='s'>{test}<error/></testsuite>"), Reason::SuiteError),
        (format!("<testsuite name='s'>{test}<x><failure/></x></testsuite>"), Reason::SuiteError),
        ("<testsuites/>".to_owned(), Reason::ZeroTests),
        ("<testsuite tests='6'></testsuite>".to_owned(), Reason::ZeroTests),
    ] {
        check_with(&text, Identity::Classname, Err(reason));
    }
}

#[test]
fn legal_oddities_are_read() {
    let declared = "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<?x y?><testsuite xmlns:x='u'>\
                    <x:other/><testcase x:y='1' name='a > b'>a &amp; &#65; &gt;</testcase ></testsuite >\n<!-- end -->\n";
    check_with(declared, Identity::Classname, Ok(&["+a > b"]));
    check_with("<testsuites><group><testcase name='a'/></group></testsuites>", Identity::Classname, Ok(&["+a"]));
}

#[test]
fn limits_reject_the_whole_report() {
    let mut options = Options::default();
    options.limits.tests = 2;
    let tests = |count: usize| {
        let tests: String = (0..count).map(|n| format!("<testcase name='t{n}'/>")).collect();
        format!("<testsuite>{tests}</testsuite>")
    };
    assert!(read(&tests(2), &options).is_ok());
    assert_eq!(read(&tests(3), &options).err(), Some(Reason::TooManyTests));
    options.limits.depth = 2;
    assert!(read(&tests(2), &options).is_ok());
    let deep = "<testsuite><testcase name='a'><system-out/></testcase></testsuite>";
    assert_eq!(read(deep, &options).err(), Some(Reason::TooDeep));
    options.limits.bytes = 10;
    assert_eq!(read(&tests(2), &options).err(), Some(Reason::TooLarge));
}

#[test]
fn warnings_of_one_kind_are_counted_after_twenty() {
    let tests: String = (0..25).map(|n| format!("<testcase name='{n} 0x7f00aa{n:02}' status='odd'/>")).collect();
    let (report, _) = read(&format!("<testsuite>{tests}</testsuite>"), &Options::default()).ok().unwrap();
    assert_eq!(report.warnings.len(), 42);
    let last: Vec<_> = report.warnings.iter().rev().take(2).map(|warning| warning.message.as_str()).collect();
    assert_eq!(last, ["5 more warnings of the kind `unknown-status`", "5 more warnings of the kind `volatile-id`"]);
}
