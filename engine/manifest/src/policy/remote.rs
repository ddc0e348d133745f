//! What a forge must have seen.

use runmill_model::ContextName;

use crate::{
    TimeSpan,
    faults::{Fault, Faults, Once},
    invalid::{self, quoted},
    yaml::{self, Entries, Node},
};

/// The `remote` section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    required: Vec<RequiredContext>,
    deadline: TimeSpan,
}

impl Default for Remote {
    /// No context, 10 minutes.
    fn default() -> Self {
        Self { required: Vec::new(), deadline: TimeSpan::minutes(10) }
    }
}

impl Remote {
    /// The contexts the operator requires, each once.
    pub fn required(&self) -> &[RequiredContext] {
        &self.required
    }

    /// How long after the first observation a context may stay unscheduled.
    pub fn deadline(&self) -> TimeSpan {
        self.deadline
    }
}

/// A context that must be successful.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequiredContext {
    context: ContextName,
    app: Option<String>,
    workflow: Option<String>,
}

impl RequiredContext {
    /// Its name at the forge.
    pub fn context(&self) -> &ContextName {
        &self.context
    }

    /// The app that must have reported it; any, if none.
    pub fn app(&self) -> Option<&str> {
        self.app.as_deref()
    }

    /// The workflow that must have reported it; any, if none.
    pub fn workflow(&self) -> Option<&str> {
        self.workflow.as_deref()
    }
}

pub(super) fn read(node: &Node, faults: &mut Faults) -> Remote {
    let mut remote = Remote::default();
    let Some(mut entries) = Entries::of(node, "`remote`", faults) else { return remote };
    let (required, deadline) = (entries.get("required"), entries.get("deadline"));
    entries.close(faults);
    if let Some(deadline) = deadline.and_then(|node| yaml::parsed(node, "deadline", faults, str::parse)) {
        remote.deadline = deadline;
    }
    let mut seen = Once::default();
    for item in required.map(|node| yaml::list(node, "required", faults)).unwrap_or_default() {
        let Some(context) = context(item, faults) else { continue };
        seen.note(context.clone(), item.span, faults, || {
            Fault::new(
                format!("the context {} is required twice", quoted(context.context.as_str())),
                "keep one of the two",
            )
        });
        contradiction(&remote.required, &context, item, faults);
        remote.required.push(context);
    }
    remote
}

fn context(node: &Node, faults: &mut Faults) -> Option<RequiredContext> {
    let mut entries = Entries::of(node, "a required context", faults)?;
    let context = entries.need("context", "write its name exactly as the forge shows it", faults);
    let app = entries.get("app");
    let workflow = entries.get("workflow");
    entries.close(faults);
    let context = context.and_then(|node| yaml::parsed(node, "context", faults, invalid::id::<ContextName>));
    let app = app.and_then(|node| yaml::text(node, "app", faults)).map(str::to_owned);
    let workflow = workflow.and_then(|node| yaml::text(node, "workflow", faults)).map(str::to_owned);
    Some(RequiredContext { context: context?, app, workflow })
}

/// What two entries ask of one context must both hold, so they cannot name two apps or two workflows.
fn contradiction(before: &[RequiredContext], context: &RequiredContext, node: &Node, faults: &mut Faults) {
    let differ = |a: &Option<String>, b: &Option<String>| a.is_some() && b.is_some() && a != b;
    let other = before.iter().filter(|other| other.context == context.context);
    if other.clone().any(|other| differ(&other.app, &context.app) || differ(&other.workflow, &context.workflow)) {
        let name = quoted(context.context.as_str());
        let what = format!(
            "the context {name} is required of two apps or workflows, and everything that reports it must be the one"
        );
        faults.add(Fault::new(what, "name one, or none where any may report it").at(node.span, "here"));
    }
}
