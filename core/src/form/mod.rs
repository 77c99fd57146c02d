//! Forms: the restricted JSON Schema that an elicitation asks with, and the content that answers it
//! (client/elicitation of the specification).
//!
//! The grammar is closed where it matters: a keyword of JSON Schema that would bind the content but is no part of a
//! form's grammar is refused when the question is built, since nobody would enforce it.

mod content;
mod format;
mod schema;

pub(crate) use content::requires_content;
pub use content::{ContentError, check_content};
pub(crate) use format::is_uri;
pub use schema::{FormError, check_requested_schema};
pub(crate) use schema::{form_since, number};
