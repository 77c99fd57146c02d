//! From a tool's schema to the table of its mirrored parameters, in one pass and without recursion.

use super::{Named, ParamTable, ROOT, SchemaError, SchemaFault};
use crate::json::scan::{Fields, scan};
use crate::json::tokens::{Token, Tokens};
use crate::json::{JsonError, Text};
use crate::limits::{MAX_DEPTH, MAX_PARAM_HEADERS, MAX_PARAM_STEPS, MAX_SCHEMA_BYTES};
use crate::reason::Reason;
use crate::wire::is_tchar;

pub(super) fn compile(schema: &[u8], scratch: &mut [u64]) -> Result<ParamTable, SchemaError> {
    if schema.len() > MAX_SCHEMA_BYTES {
        return Err(SchemaError { fault: SchemaFault::TooLarge, offset: MAX_SCHEMA_BYTES });
    }
    let mut fields = Fields::new();
    scan(schema, MAX_DEPTH, scratch, &mut fields)?;
    let table = ParamTable {
        schema_len: schema.len() as u32,
        headers: 0,
        steps: 0,
        names: [Named::NONE; MAX_PARAM_HEADERS],
        path: [Named::NONE; MAX_PARAM_STEPS],
    };
    let start = fields.top.start as usize;
    let mut compiler = Compiler { schema, tokens: Tokens::from(schema, start), frames: scratch, depth: 0, table };
    if compiler.tokens.peek() != Some(b'{') {
        return Err(SchemaError { fault: SchemaFault::NotAnObject, offset: start });
    }
    compiler.enter(Frame { kind: Kind::Schema, on_chain: true, step: ROOT, name_at: 0 })?;
    while let Some(frame) = compiler.top() {
        compiler.advance(frame)?;
    }
    Ok(compiler.table)
}

impl From<JsonError> for SchemaError {
    fn from(error: JsonError) -> Self {
        let fault = match error.reason {
            Reason::DuplicateMember => SchemaFault::DuplicateMember,
            Reason::TooDeep => SchemaFault::TooDeep,
            Reason::TooManyMembers => SchemaFault::ScratchTooSmall,
            _ => SchemaFault::InvalidJson,
        };
        SchemaError { fault, offset: error.offset }
    }
}

/// What an open array or object of the schema is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A schema: its members are keywords.
    Schema,
    /// Schemas by name, such as the value of `properties`.
    Map,
    /// An array of schemas, such as the value of `allOf`.
    List,
}

/// An open array or object that is a schema or holds some. Kept in one slot of scratch.
#[derive(Clone, Copy)]
struct Frame {
    kind: Kind,
    /// Only `properties` lie between here and the root.
    on_chain: bool,
    /// The step of a property on the chain, if it has one already; else [`ROOT`].
    step: u8,
    /// Where the name of a property on the chain stands; 0 for the root and for everything else.
    name_at: u32,
}

impl Frame {
    /// A frame off the chain, or one that has no name.
    const fn unnamed(kind: Kind, on_chain: bool) -> Self {
        Frame { kind, on_chain, step: ROOT, name_at: 0 }
    }

    const fn pack(self) -> u64 {
        (self.name_at as u64) << 32 | (self.step as u64) << 8 | (self.on_chain as u64) << 2 | self.kind as u64
    }

    const fn unpack(slot: u64) -> Self {
        let kind = match slot & 3 {
            0 => Kind::Schema,
            1 => Kind::Map,
            _ => Kind::List,
        };
        Frame { kind, on_chain: slot >> 2 & 1 == 1, step: (slot >> 8) as u8, name_at: (slot >> 32) as u32 }
    }
}

/// What a keyword's value is.
#[derive(Clone, Copy)]
enum Keyword {
    Annotation,
    Properties,
    /// Schemas by name.
    Map,
    /// A schema, or an array of some.
    Schemas,
}

/// Every keyword that has schemas inside. JSON Schema 2020-12, sections 8 and 10 and the meta-schemas; `definitions`,
/// `dependencies` and `additionalItems` from the drafts before.
const KEYWORDS: &[(&str, Keyword)] = &[
    ("x-mcp-header", Keyword::Annotation),
    ("properties", Keyword::Properties),
    ("patternProperties", Keyword::Map),
    ("dependentSchemas", Keyword::Map),
    ("$defs", Keyword::Map),
    ("definitions", Keyword::Map),
    ("dependencies", Keyword::Map),
    ("items", Keyword::Schemas),
    ("prefixItems", Keyword::Schemas),
    ("additionalItems", Keyword::Schemas),
    ("unevaluatedItems", Keyword::Schemas),
    ("contains", Keyword::Schemas),
    ("additionalProperties", Keyword::Schemas),
    ("unevaluatedProperties", Keyword::Schemas),
    ("propertyNames", Keyword::Schemas),
    ("allOf", Keyword::Schemas),
    ("anyOf", Keyword::Schemas),
    ("oneOf", Keyword::Schemas),
    ("not", Keyword::Schemas),
    ("if", Keyword::Schemas),
    ("then", Keyword::Schemas),
    ("else", Keyword::Schemas),
    ("contentSchema", Keyword::Schemas),
];

fn keyword(name: Text<'_>) -> Option<Keyword> {
    KEYWORDS.iter().find(|(known, _)| name == **known).map(|&(_, keyword)| keyword)
}

struct Compiler<'s, 'x> {
    schema: &'s [u8],
    tokens: Tokens<'s>,
    frames: &'x mut [u64],
    depth: usize,
    table: ParamTable,
}

impl Compiler<'_, '_> {
    /// The innermost open frame.
    fn top(&self) -> Option<Frame> {
        self.frames.get(self.depth.checked_sub(1)?).copied().map(Frame::unpack)
    }

    /// Goes into the array or object that comes next.
    fn enter(&mut self, frame: Frame) -> Result<(), SchemaError> {
        let offset = self.tokens.settle();
        let Some(slot) = self.frames.get_mut(self.depth) else {
            return Err(SchemaError { fault: SchemaFault::ScratchTooSmall, offset });
        };
        *slot = frame.pack();
        self.depth += 1;
        self.tokens.take();
        Ok(())
    }

    /// Takes one member or element of the innermost frame, or its end.
    fn advance(&mut self, frame: Frame) -> Result<(), SchemaError> {
        let at = self.tokens.settle();
        let (name, first) = match self.tokens.peek() {
            Some(b'}' | b']') | None => {
                self.tokens.take();
                self.depth = self.depth.saturating_sub(1);
                return Ok(());
            }
            first if frame.kind == Kind::List => (None, first),
            _ => match self.tokens.take() {
                Some(Token::Key(name)) => (Some(name), self.tokens.peek()),
                _ => return Ok(()),
            },
        };
        let known = name.filter(|_| frame.kind == Kind::Schema).and_then(keyword);
        let inner = match (frame.kind, known, first) {
            (Kind::Schema, Some(Keyword::Annotation), _) => {
                self.annotate(frame)?;
                None
            }
            (Kind::Schema, Some(Keyword::Properties), Some(b'{')) => Some(Frame::unnamed(Kind::Map, frame.on_chain)),
            (Kind::Schema, Some(Keyword::Map), Some(b'{')) => Some(Frame::unnamed(Kind::Map, false)),
            (Kind::Schema, Some(Keyword::Schemas), Some(b'{')) => Some(Frame::unnamed(Kind::Schema, false)),
            (Kind::Schema, Some(Keyword::Schemas), Some(b'[')) => Some(Frame::unnamed(Kind::List, false)),
            (Kind::Map, _, Some(b'{')) if frame.on_chain => {
                Some(Frame { kind: Kind::Schema, on_chain: true, step: ROOT, name_at: at as u32 })
            }
            (Kind::Map | Kind::List, _, Some(b'{')) => Some(Frame::unnamed(Kind::Schema, false)),
            _ => None,
        };
        match inner {
            Some(inner) => self.enter(inner),
            None => {
                self.tokens.value();
                Ok(())
            }
        }
    }

    /// Judges the annotation whose value comes next, and notes it.
    fn annotate(&mut self, frame: Frame) -> Result<(), SchemaError> {
        let offset = self.tokens.settle();
        let fault = |fault| SchemaError { fault, offset };
        if !frame.on_chain {
            return Err(fault(SchemaFault::NotReachable));
        }
        if frame.name_at == 0 {
            return Err(fault(SchemaFault::OnRoot));
        }
        let name = self.tokens.clone().value().text().ok_or(fault(SchemaFault::NotString))?;
        if name.raw().is_empty() {
            return Err(fault(SchemaFault::Empty));
        }
        if !name.bytes().all(is_tchar) {
            return Err(fault(SchemaFault::NotToken));
        }
        if !self.is_primitive(frame) {
            return Err(fault(SchemaFault::NotPrimitive));
        }
        let taken = self.table.names.get(..usize::from(self.table.headers)).unwrap_or_default();
        if taken.iter().any(|other| same_name(other.text(self.schema), name.bytes())) {
            return Err(fault(SchemaFault::DuplicateHeader));
        }
        let step = self.path().ok_or(fault(SchemaFault::TooManySteps))?;
        match self.table.names.get_mut(usize::from(self.table.headers)) {
            Some(slot) => *slot = Named::of(name, offset, step),
            None => return Err(fault(SchemaFault::TooManyHeaders)),
        }
        self.table.headers += 1;
        Ok(())
    }

    /// Whether the property that a frame is in has one of the three types (PRM-05, PRM-06).
    fn is_primitive(&self, frame: Frame) -> bool {
        let mut tokens = Tokens::from(self.schema, frame.name_at as usize);
        tokens.take(); // its name
        let declared = tokens.value().get("type").and_then(|value| value.text());
        declared.is_some_and(|declared| ["integer", "string", "boolean"].iter().any(|known| declared == **known))
    }

    /// The step of the innermost frame, made together with the steps before it where they are missing. `None` when
    /// there are too many.
    fn path(&mut self) -> Option<u8> {
        let mut parent = ROOT;
        for slot in self.frames.get_mut(..self.depth).unwrap_or_default() {
            let mut frame = Frame::unpack(*slot);
            if frame.name_at == 0 {
                continue;
            }
            if frame.step == ROOT {
                let at = frame.name_at as usize;
                let Some(Token::Key(name)) = Tokens::from(self.schema, at).take() else { continue };
                *self.table.path.get_mut(usize::from(self.table.steps))? = Named::of(name, at, parent);
                frame.step = self.table.steps;
                *slot = frame.pack();
                self.table.steps += 1;
            }
            parent = frame.step;
        }
        Some(parent)
    }
}

impl Named {
    /// A string whose opening quote stands at `at`.
    fn of(text: Text<'_>, at: usize, step: u8) -> Self {
        Named { start: at as u32 + 1, len: text.raw().len() as u32, escaped: text.is_escaped(), step }
    }
}

/// Whether two field names are the same (HDR-09).
pub(super) fn same_name(name: Text<'_>, other: impl Iterator<Item = u8>) -> bool {
    name.bytes().map(|byte| byte.to_ascii_lowercase()).eq(other.map(|byte| byte.to_ascii_lowercase()))
}
