//! What a verdict says otherwise when it is reached again, in words.

use std::collections::BTreeMap;

use serde_json::Value as Json;

/// Every difference between a verdict document and the one that comes out again, each in one line.
pub(super) fn differences(told: &Json, again: &Json) -> Vec<String> {
    let mut found = Vec::new();
    if told["verdict"] != again["verdict"] {
        found.push(format!("the verdict is {} in the bundle, and comes out {}", told["verdict"], again["verdict"]));
    }
    findings(told, again, &mut found);
    let names = [told, again].into_iter().filter_map(Json::as_object).flat_map(|members| members.keys());
    let mut names: Vec<&String> = names.filter(|name| !matches!(name.as_str(), "verdict" | "findings")).collect();
    names.sort();
    names.dedup();
    for name in names.into_iter().filter(|name| told.get(name) != again.get(name)) {
        let place = first_difference(name, told.get(name), again.get(name));
        found.push(format!("`{place}` of the verdict comes out otherwise"));
    }
    found
}

type Key<'a> = (&'a str, &'a str, &'a str, &'a str);

fn findings(told: &Json, again: &Json, found: &mut Vec<String>) {
    let before = by_key(told);
    let after = by_key(again);
    let keys: std::collections::BTreeSet<&Key<'_>> = before.keys().chain(after.keys()).collect();
    for key in keys {
        let (_, rule, kind, subject) = key;
        let name = format!("the finding `{rule}` on {kind} `{subject}`");
        match (before.get(key).map(Vec::as_slice), after.get(key).map(Vec::as_slice)) {
            (Some(before), Some(after)) if before == after => {}
            (Some([before]), Some([after])) if before["outcome"] != after["outcome"] => {
                found
                    .push(format!("{name} is {} in the bundle, and comes out {}", before["outcome"], after["outcome"]));
            }
            (Some(before), Some(after)) => {
                let (before, after) = (before.first().copied(), after.first().copied());
                found.push(format!("{name} comes out otherwise: {}", first_difference("finding", before, after)));
            }
            (Some(_), None) => found.push(format!("{name} is in the bundle, and does not come out")),
            (None, _) => found.push(format!("{name} comes out, and is not in the bundle")),
        }
    }
    if found.is_empty() && told["findings"] != again["findings"] {
        found.push("the findings come out in another order".to_owned());
    }
}

fn by_key(document: &Json) -> BTreeMap<Key<'_>, Vec<&Json>> {
    let mut all: BTreeMap<Key<'_>, Vec<&Json>> = BTreeMap::new();
    for finding in document["findings"].as_array().into_iter().flatten() {
        let text = |member: &'static str| text_at(finding, &[member]);
        let subject = |member: &'static str| text_at(finding, &["subject", member]);
        all.entry((text("pack"), text("rule"), subject("kind"), subject("key"))).or_default().push(finding);
    }
    all
}

fn text_at<'a>(json: &'a Json, path: &[&str]) -> &'a str {
    path.iter().try_fold(json, |json, member| json.get(member)).and_then(Json::as_str).unwrap_or_default()
}

/// The place of the first difference, such as `results[0].status`.
fn first_difference(place: &str, told: Option<&Json>, again: Option<&Json>) -> String {
    match (told, again) {
        (Some(Json::Object(told)), Some(Json::Object(again))) => {
            let names = told.keys().chain(again.keys());
            let name = names.into_iter().find(|name| told.get(*name) != again.get(*name));
            name.map_or_else(
                || place.to_owned(),
                |name| first_difference(&format!("{place}.{name}"), told.get(name), again.get(name)),
            )
        }
        (Some(Json::Array(told)), Some(Json::Array(again))) => {
            let at = (0..told.len().max(again.len())).find(|at| told.get(*at) != again.get(*at)).unwrap_or_default();
            first_difference(&format!("{place}[{at}]"), told.get(at), again.get(at))
        }
        _ => place.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document() -> Json {
        let finding = |rule: &str, outcome: &str| json!({ "pack": "p", "rule": rule, "outcome": outcome, "subject": { "kind": "check", "key": "unit" } });
        json!({
            "verdict": "ready", "findings": [finding("a/b", "proven"), finding("c/d", "refuted")],
            "waivers": [{ "reason": "x" }],
        })
    }

    #[test]
    fn names_what_differs_and_nothing_else() {
        assert_eq!(differences(&document(), &document()), Vec::<String>::new());
        let changed = |change: fn(&mut Json)| {
            let mut told = document();
            change(&mut told);
            differences(&told, &document()).join("\n")
        };
        for (change, expect) in [
            (
                (|it| it["verdict"] = json!("blocked")) as fn(&mut Json),
                "the verdict is \"blocked\" in the bundle, and comes out \"ready\"",
            ),
            (
                |it| it["findings"][0]["outcome"] = json!("refuted"),
                "the finding `a/b` on check `unit` is \"refuted\" in the bundle, and comes out \"proven\"",
            ),
            (
                |it| it["findings"][0]["message"] = json!("x"),
                "the finding `a/b` on check `unit` comes out otherwise: finding.message",
            ),
            (
                |it| it["findings"].as_array_mut().map_or((), |all| all.truncate(1)),
                "the finding `c/d` on check `unit` comes out, and is not in the bundle",
            ),
            (
                |it| it["findings"][0]["rule"] = json!("x/y"),
                "the finding `a/b` on check `unit` comes out, and is not in the bundle\n\
                 the finding `x/y` on check `unit` is in the bundle, and does not come out",
            ),
            (
                |it| it["findings"].as_array_mut().map_or((), |all| all.swap(0, 1)),
                "the findings come out in another order",
            ),
            (|it| it["waivers"][0]["reason"] = json!("y"), "`waivers[0].reason` of the verdict comes out otherwise"),
            (|it| it["more"] = json!(1), "`more` of the verdict comes out otherwise"),
        ] {
            assert_eq!(changed(change), expect);
        }
    }
}
