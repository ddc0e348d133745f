//! `runmill rules schema`: what rules can read and call.

use runmill_workshop::schema;

use crate::{
    exit::Exit,
    render::{Output, rules::schema::text},
};

/// Shows it.
pub fn run(output: &Output) -> Exit {
    let (paint, width) = output.style();
    output.show(&schema::json_schema(), || text(paint, width), Exit::Ready)
}
