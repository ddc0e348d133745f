//! `runmill rules schema`: what rules can read and call, for people and as JSON Schema.

use serde_json::{Value, json};

use crate::harness::{Repo, User, faults, fits};

fn schema() -> Value {
    let nowhere = Repo::bare_directories(User::Same);
    nowhere.runmill(["rules", "schema"]).in_dir(nowhere.root()).document()
}

#[test]
fn the_facts_of_runs_fit_the_schema_and_what_is_no_fact_does_not() {
    let schema = schema();
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a", "skip b", "fail c"]).commit("change");
    let fingerprint = format!("sha256:{}", "0".repeat(64));
    let policy = format!(
        "version: 1\nremote: {{ required: [{{ context: ci }}] }}\nverification:\n  declared_skips:\n    - {{ check: unit, \
         test_id: b, cause: agreed, branch: main }}\nwaivers:\n  - {{ fingerprint: \"{fingerprint}\", reason: known, \
         approver: owner, expires: 2999-01-01 }}\n"
    );
    repo.check().args(["--propose", "more"]).policy(&policy).verdict().is("blocked");
    let facts = repo.runmill(["facts", "latest"]).document();
    assert!(facts["facts"].as_object().unwrap().len() > 8, "{facts:#}");
    fits(&schema, &facts);
    let wrong = |change: &dyn Fn(&mut Value)| {
        let mut other = facts.clone();
        change(&mut other);
        assert!(!faults(&schema, &other).is_empty(), "{other:#}");
    };
    wrong(&|it| it["facts"]["invocation"][0]["status"] = json!("green"));
    wrong(&|it| it["facts"]["invocation"][0]["commit"] = json!("main"));
    wrong(&|it| it["facts"]["report"][0]["passed"] = json!(["a"]));
    wrong(&|it| it["facts"]["report"][0]["accepted"] = json!(true));
    wrong(&|it| it["facts"]["change"][0]["target"] = json!(null));
    wrong(&|it| it["facts"]["chnage"] = json!([]));
    wrong(&|it| it["tests"][0] = json!("a"));
}

#[test]
fn computed_properties_and_functions_stand_beside_the_stored_ones() {
    let schema = schema();
    let check = &schema["properties"]["facts"]["properties"]["check"]["items"];
    assert_eq!(check["x-computed"]["candidate"]["type"], "invocation or ()", "{check:#}");
    assert!(check["properties"].get("candidate").is_none(), "{check:#}");
    let functions = schema["x-functions"].as_array().unwrap();
    assert!(functions.iter().any(|function| function["usage"] == "names(list of text, int) -> text"), "{functions:#?}");
    let told = |doc: &Value| doc.as_str().is_some_and(|doc| doc.len() > 10);
    assert!(functions.iter().all(|function| told(&function["doc"])), "{functions:#?}");
}

#[test]
fn the_page_for_people_fits_the_terminal_and_says_every_kind() {
    let nowhere = Repo::bare_directories(User::Same);
    let page = |color: &str| nowhere.runmill(["rules", "schema", "--color", color]).in_dir(nowhere.root()).output();
    let output = page("never");
    assert_eq!((output.exit, output.stderr.as_str()), (0, ""));
    assert!(output.stdout.lines().all(|line| line.chars().count() <= 80), "{}", output.stdout);
    for word in
        ["invocation\n", "  exit_code  int or ()\n", "One of `passed`,", "Closures over lists\n", "cx.params.NAME"]
    {
        assert!(output.stdout.contains(word), "{word}: {}", output.stdout);
    }
    assert!(page("always").stdout.contains('\u{1b}'));
}
