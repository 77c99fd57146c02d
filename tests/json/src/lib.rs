//! What the two runners share: documents, and what each reader makes of them.
//!
//! Values are compared as text. Every reader's value is written in one spelling, that of Python's `json.dumps`
//! without spaces: an object becomes `{"o":[[name,value],...]}`, so that the order of members and a repeated name
//! stay visible, a number becomes `{"n":"1.50"}`, so that every digit does.

pub mod compare;
pub mod core_reader;
pub mod generate;
pub mod serde_reader;
pub mod spell;

/// What a reader says of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// JSON; the value in the common spelling.
    Accepted(String),
    /// JSON that repeats a member.
    Duplicate(String),
    /// Not JSON.
    Refused,
}
