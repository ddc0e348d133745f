use super::read;
use crate::{Options, Reason};
