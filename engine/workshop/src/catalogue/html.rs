//! The catalogue as one page of HTML: no script, nothing loaded from elsewhere, readable in light and dark, on paper and on a
//! small screen.

use std::fmt::Write;

use super::{
    Catalogue, CataloguedCase, CataloguedPack, CataloguedParam, CataloguedRule,
    markdown::{figures, size},
};

const STYLE: &str = include_str!("page.css");

pub(super) fn page(catalogue: &Catalogue) -> String {
    let title = catalogue.packs.iter().map(|pack| pack.name.to_string()).collect::<Vec<_>>().join(", ");
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>Rules: {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        escaped(&title)
    );
    navigation(&mut out, catalogue);
    out.push_str("<main>\n");
    catalogue.packs.iter().for_each(|pack| self::pack(&mut out, pack));
    if !catalogue.empty.is_empty() {
        out.push_str("<section id=\"left-out\"><h2>What is left out</h2><ul>");
        catalogue.empty.iter().for_each(|line| push(&mut out, &format!("<li>{}</li>", prose(line))));
        out.push_str("</ul></section>\n");
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn push(out: &mut String, line: &str) {
    // Writing to a text cannot fail.
    let _ = writeln!(out, "{line}");
}

fn navigation(out: &mut String, catalogue: &Catalogue) {
    out.push_str("<nav aria-label=\"Rules\">\n");
    for pack in &catalogue.packs {
        push(out, &format!("<details open><summary>{}</summary>", escaped(pack.name.as_str())));
        let mut stage = None;
        for rule in &pack.rules {
            if stage != Some(rule.stage) {
                let close = if stage.is_some() { "</ul>" } else { "" };
                push(out, &format!("{close}<h2>{}</h2><ul>", escaped(rule.stage.as_str())));
                stage = Some(rule.stage);
            }
            push(out, &format!("<li><a href=\"#{}\">{}</a></li>", anchor(pack, rule), escaped(rule.id.as_str())));
        }
        push(out, if stage.is_some() { "</ul></details>" } else { "</details>" });
    }
    out.push_str("</nav>\n");
}

/// Names of packs and rules are made of letters, digits and `-`, `/`, `.`, which may stand in an address.
fn anchor(pack: &CataloguedPack, rule: &CataloguedRule) -> String {
    escaped(&format!("{}:{}", pack.name, rule.id))
}

fn pack(out: &mut String, pack: &CataloguedPack) {
    push(out, &format!("<section><h1>{} <small>{}</small></h1>", escaped(pack.name.as_str()), escaped(&pack.version)));
    push(out, &format!("<p>{}</p>", prose(&pack.description)));
    push(out, &format!("<p class=\"faint\">{}<br><code>{}</code></p>", escaped(&size(pack)), pack.digest));
    if !pack.params.is_empty() {
        out.push_str("<h2>Parameters</h2>\n<dl>\n");
        pack.params.iter().for_each(|param| self::param(out, param));
        out.push_str("</dl>\n");
    }
    pack.rules.iter().for_each(|rule| self::rule(out, pack, rule));
    out.push_str("</section>\n");
}

fn param(out: &mut String, param: &CataloguedParam) {
    let choices = if param.choices.is_empty() { String::new() } else { format!(" of {}", param.choices.join(", ")) };
    let default = match &param.default {
        Some(default) => format!("default <code>{}</code>", escaped(default)),
        None => "no default: the operator has to give it".to_owned(),
    };
    let head = format!(
        "<code>{}</code> <span class=\"faint\">{}{}, {default}</span>",
        param.name,
        param.r#type,
        escaped(&choices)
    );
    push(out, &format!("<dt>{head}</dt><dd>{}</dd>", prose(&param.doc)));
}

fn rule(out: &mut String, pack: &CataloguedPack, rule: &CataloguedRule) {
    push(out, &format!("<article id=\"{}\"><h3>{}</h3>", anchor(pack, rule), escaped(rule.id.as_str())));
    let strict = rule
        .strict_level
        .map_or(String::new(), |level| format!(" (<b class=\"{level}\">{level}</b> where a machine owns the merge)"));
    let level = format!("<b class=\"{0}\">{0}</b>{strict}", rule.level);
    push(
        out,
        &format!(
            "<p class=\"tags\">{level} <span>{}</span> <span>on {}</span> <span>{}</span></p>",
            rule.stage, rule.on, rule.code
        ),
    );
    push(out, &format!("<p>{}</p><dl>", prose(&rule.what)));
    let mut row = |name: &str, value: String| push(out, &format!("<dt>{name}</dt><dd>{value}</dd>"));
    row("Why", prose(&rule.why));
    row("Fix", prose(&rule.fix));
    row("Code", format!("{}: {}", rule.code, escaped(rule.means)));
    if let Some(reason) = &rule.may_be_empty {
        row("No subject", prose(reason));
    }
    if !rule.params.is_empty() {
        let names: Vec<String> = rule.params.iter().map(|name| format!("<code>{name}</code>")).collect();
        row("Parameters", names.join(", "));
    }
    row("Coverage", escaped(&figures(rule.figures)));
    row("File", format!("<code>{}:{}</code>", escaped(&rule.place.file), rule.place.line));
    out.push_str("</dl>\n<table><thead><tr><th>Comes to</th><th>when</th><th>and says</th></tr></thead><tbody>\n");
    rule.cases.iter().for_each(|case| self::case(out, case));
    out.push_str("</tbody></table></article>\n");
}

fn case(out: &mut String, case: &CataloguedCase) {
    let outcome = escaped(&case.outcome);
    let name = case.case.as_deref().map_or("<em>no case</em>".to_owned(), prose);
    let row = format!(
        "<td><b class=\"{outcome}\">{}</b></td><td>{name}</td><td>{}</td>",
        outcome.replace('_', " "),
        prose(&case.message)
    );
    push(out, &format!("<tr>{row}</tr>"));
}

/// A text in which backticks mark what is literal.
fn prose(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts =
        parts.map(|(at, part)| if at % 2 == 1 { format!("<code>{}</code>", escaped(part)) } else { escaped(part) });
    parts.collect()
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for mark in text.chars() {
        match mark {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            mark if mark.is_control() && mark != '\n' => out.push('\u{fffd}'),
            mark => out.push(mark),
        }
    }
    out
}
