//! The text of a new rule, its fixture and its cases.

use runmill_model::{Kind, Stage};
use runmill_policy::On;

use super::{
    NewRule,
    sample::{self, Sample},
};

/// The rule's file.
pub(super) fn text(rule: &NewRule, sample: &Sample) -> String {
    let NewRule { id, stage, on } = rule;
    let subject = on.as_str();
    let empty = match on {
        On::Run | On::Kind(Kind::Change | Kind::Policy) => "",
        On::Kind(_) => " may_be_empty: \"Not every change has one.\",",
    };
    let page = "//! What this rule is about, in a few sentences: they are its page in the catalogue.\n//!\n//! Say what goes \
                wrong without it, and for whom.\n";
    if *stage == Stage::Discovery {
        return format!(
            "{page}rule \"{id}\" #{{\n    stage: \"discovery\", on: \"{subject}\", source: \"changed-path\",{empty}\n    \
             why: \"Say why the check is needed.\",\n}} when |{subject}, cx| {{\n    \
             let wanted = cx.check(\"integration\");\n    \
             if wanted == () {{ return not_applicable(\"no check `integration` is configured\"); }}\n    \
             let touched = cx.change.changed_paths.matching(\"src/**\");\n    \
             if touched.is_empty() {{ return not_applicable(\"nothing under `src/` changes\"); }}\n    \
             require(wanted, `the change touches ${{touched.names(3)}}`)\n}}\n"
        );
    }
    let own = |text: &str| text.replace("it.", &format!("{subject}."));
    let Sample { needed, name, missing, wrong, told, .. } = sample;
    format!(
        "{page}rule \"{id}\" #{{\n    stage: \"{stage}\", on: \"{subject}\", code: \"RM-VERIFY-008\", level: \"block\",{empty}\n    \
         why: \"Say why it matters.\",\n    fix: \"Say what to do about it.\",\n}} when |{subject}, cx| {{\n    \
         let {name} = {needed};\n    if {name} == () {{ return unproven(`{missing}`, [{subject}]); }}\n    \
         if {wrong} {{ return refuted(`{told}`, [{subject}]); }}\n    proven([{subject}])\n}}\n",
        needed = own(needed),
        missing = own(missing),
        wrong = own(wrong),
        told = own(told),
    )
}

/// Whether a rule is on something that a receipt or a session has, and no change.
pub fn is_of_an_agent(on: On) -> bool {
    matches!(on, On::Kind(Kind::Worktree | Kind::Command | Kind::Session | Kind::Event))
}

/// The fixture that the rule is proven on.
pub(super) fn fixture(rule: &NewRule, name: &str, sample: &Sample) -> String {
    let facts = if rule.stage == Stage::Discovery { sample::discovered(rule.on) } else { sample.facts.to_owned() };
    format!(
        "// The facts of a change in which everything is as `{id}` wants it. What a fact does not say is in order.\n\
         fixture \"{name}\" {{\n    {about}add \"policy\" \"policy\"\n    {facts}\n}}\n",
        id = rule.id,
        about = if is_of_an_agent(rule.on) { "" } else { "add \"change\" \"change\"\n    " },
    )
}

/// Its cases.
pub(super) fn cases(rule: &NewRule, name: &str, sample: &Sample) -> String {
    let (proven, refuted, missing, refute, lack) = if rule.stage == Stage::Discovery {
        let elsewhere = "set \"change\" \"change\" { changed_paths \"README.md\" }";
        ("require", "not_applicable", "not_applicable", elsewhere, "remove \"check\" \"integration\"")
    } else {
        ("proven", "refuted", "unproven", sample.refute, sample.lack)
    };
    // The check that is asked for is a check too.
    let is_one_of_two = rule.stage == Stage::Discovery && rule.on == On::Kind(Kind::Check);
    let subject = if is_one_of_two { " subject=\"unit\"" } else { "" };
    format!(
        "rule \"{id}\"\n\n\
         case \"as it should be\" fixture=\"{name}\" {{\n    expect \"{proven}\"{subject}\n}}\n\n\
         case \"as it should not be\" fixture=\"{name}\" {{\n    {refute}\n    expect \"{refuted}\"{subject}\n}}\n\n\
         case \"a fact is missing\" fixture=\"{name}\" {{\n    {lack}\n    expect \"{missing}\"{subject}\n}}\n",
        id = rule.id
    )
}
