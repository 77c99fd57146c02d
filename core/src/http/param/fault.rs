//! What can be wrong with a tool's schema, and where.

use crate::json::tokens::{Token, Tokens};
use crate::json::{BYTE_ORDER_MARK, Bytes, TooSmall, Writer};
use crate::limits::MAX_DEPTH;

/// Declares [`SchemaFault`].
macro_rules! faults {
    ($( $(#[$doc:meta])* $name:ident, $text:literal, $message:literal; )*) => {
        /// What is wrong with a tool's schema: the fault of whoever wrote the tool, never of its caller.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum SchemaFault { $( $(#[$doc])* $name, )* }

        impl SchemaFault {
            /// Every fault.
            pub const ALL: &'static [SchemaFault] = &[ $( SchemaFault::$name, )* ];

            /// The stable name, in kebab-case.
            pub const fn name(self) -> &'static str { match self { $( SchemaFault::$name => $text, )* } }

            /// A sentence that says what is wrong. It never holds anything of the schema.
            pub const fn message(self) -> &'static str { match self { $( SchemaFault::$name => $message, )* } }
        }
    };
}

faults! {
    /// The schema is longer than [`MAX_SCHEMA_BYTES`](crate::limits::MAX_SCHEMA_BYTES).
    TooLarge, "schema-too-large", "the schema is longer than 16777216 bytes";
    /// The schema is not one JSON text in UTF-8.
    InvalidJson, "schema-invalid-json", "the schema is not valid JSON";
    /// A member name appears twice in one object.
    DuplicateMember, "schema-duplicate-member", "the schema has a member twice";
    /// The schema nests deeper than [`MAX_DEPTH`](crate::limits::MAX_DEPTH).
    TooDeep, "schema-too-deep", "the schema nests deeper than 256 levels";
    /// The lent scratch is too small.
    ScratchTooSmall, "schema-scratch", "the lent scratch is too small for the schema";
    /// The schema is not a JSON object.
    NotAnObject, "schema-not-object", "the schema is not an object";
    /// `x-mcp-header` on the schema of all arguments.
    OnRoot, "header-on-root", "x-mcp-header must be on a property, not on the whole schema";
    /// `x-mcp-header` below a keyword other than `properties`.
    NotReachable, "header-not-reachable", "x-mcp-header must be on a property that is reached by properties alone";
    /// `x-mcp-header` is not a JSON string.
    NotString, "header-not-string", "x-mcp-header must be a string";
    /// `x-mcp-header` is the empty string.
    Empty, "header-empty", "x-mcp-header must not be empty";
    /// `x-mcp-header` is not a token (RFC 9110, 5.6.2).
    NotToken, "header-not-token", "x-mcp-header must be an RFC 9110 token";
    /// The annotated property has not one of the types integer, string and boolean.
    NotPrimitive, "header-not-primitive", "x-mcp-header needs the type integer, string or boolean";
    /// Two annotations have the same name, compared without regard to case.
    DuplicateHeader, "header-duplicate", "x-mcp-header has a name that another property has, letter case aside";
    /// More than [`MAX_PARAM_HEADERS`](crate::limits::MAX_PARAM_HEADERS) annotations.
    TooManyHeaders, "header-too-many", "the schema has more than 32 x-mcp-header";
    /// The paths have more than [`MAX_PARAM_STEPS`](crate::limits::MAX_PARAM_STEPS) names together.
    TooManySteps, "header-too-many-steps", "the paths to all x-mcp-header have more than 64 property names together";
}

impl SchemaFault {
    /// Whether it is an annotation that is at fault, in a schema that is a JSON object.
    pub const fn is_of_header(self) -> bool {
        self as u8 >= SchemaFault::OnRoot as u8
    }
}

/// A fault of a schema, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemaError {
    /// What is wrong.
    pub fault: SchemaFault,
    /// Where, in bytes from the start of the schema's text: the value of the annotation, or where reading stopped.
    pub offset: usize,
}

impl SchemaError {
    /// Writes where the fault is as a JSON pointer (RFC 6901) into the schema, such as `/properties/site/items`: the
    /// innermost object or array around it. Only of use where the schema is valid JSON; for an annotation it is the
    /// schema that has it. A surrogate without its pair becomes U+FFFD.
    ///
    /// # Errors
    ///
    /// [`TooSmall`] with the size that `out` needs.
    pub fn emit_pointer(&self, schema: &[u8], out: &mut [u8]) -> Result<usize, TooSmall> {
        let mut open = [Level { label: 0, elements: 0 }; MAX_DEPTH];
        let mut depth = 0usize;
        let mut key = 0;
        let mut tokens =
            Tokens::from(schema, if schema.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 });
        while tokens.settle() < self.offset {
            let at = tokens.settle();
            let parent = depth.checked_sub(1).and_then(|last| open.get_mut(last));
            match tokens.take() {
                None => break,
                Some(Token::Key(_)) => key = at as u32,
                Some(Token::Close) => depth = depth.saturating_sub(1),
                Some(token) => {
                    let mut label = key;
                    if let Some(array) = parent.filter(|parent| parent.is_array()) {
                        label = array.elements;
                        array.elements = array.elements.saturating_add(1);
                    }
                    if let Token::Open(bracket) = token {
                        if let Some(level) = open.get_mut(depth) {
                            *level = Level { label, elements: if bracket == b'[' { 0 } else { Level::OBJECT } };
                        }
                        depth = depth.saturating_add(1);
                    }
                }
            }
        }
        let mut writer = Writer::new(out);
        let open = open.get(..depth).unwrap_or_default();
        for (parent, level) in open.iter().zip(open.iter().skip(1)) {
            writer.raw(b"/");
            if parent.is_array() {
                writer.natural(u64::from(level.label));
            } else if let Some(Token::Key(name)) = Tokens::from(schema, level.label as usize).take() {
                write_reference(&mut writer, name.bytes());
            }
        }
        writer.finish()
    }
}

/// An array or object that is open.
#[derive(Clone, Copy)]
struct Level {
    /// How its parent calls it: where its name stands, or its number.
    label: u32,
    /// How many elements of an array have begun; [`Level::OBJECT`] for an object.
    elements: u32,
}

impl Level {
    const OBJECT: u32 = u32::MAX;

    const fn is_array(&self) -> bool {
        self.elements != Level::OBJECT
    }
}

/// One reference token of a pointer (RFC 6901, section 3).
fn write_reference(writer: &mut Writer<'_>, mut name: Bytes<'_>) {
    while let Some(byte) = name.next() {
        match byte {
            b'~' => writer.raw(b"~0"),
            b'/' => writer.raw(b"~1"),
            0xED => match (name.next(), name.next()) {
                // A surrogate in generalised UTF-8.
                (Some(0xA0..=0xBF), Some(_)) => writer.raw("\u{FFFD}".as_bytes()),
                (Some(second), Some(third)) => writer.raw(&[byte, second, third]),
                _ => {}
            },
            _ => writer.raw(&[byte]),
        }
    }
}
