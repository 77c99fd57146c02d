//! Tool parameters in headers (basic/transports/streamable-http, "Custom Headers from Tool Parameters"): which
//! parameters a tool's schema mirrors, the `Mcp-Param-*` fields of a call, and whether a call's fields are true.
//!
//! A tool's schema is compiled once into a [`ParamTable`], which holds places in the schema and no borrow. Together
//! with the schema it is viewed as [`ParamHeaders`].

mod check;
mod compile;
mod emit;
mod fault;

pub use emit::{ParamField, ParamFields, ParamName};
pub use fault::{SchemaError, SchemaFault};

use core::fmt;

use crate::json::{Raw, Text, ValueKind};
use crate::limits::{MAX_PARAM_HEADERS, MAX_PARAM_STEPS};

/// What the name of each of these header fields begins with.
const PREFIX: &str = "Mcp-Param-";

/// The parent of a step that starts at the arguments themselves.
const ROOT: u8 = u8::MAX;
const _: () = assert!(MAX_PARAM_STEPS < ROOT as usize);

/// A string of the schema, and the number of the step that it belongs to.
#[derive(Clone, Copy, Debug)]
struct Named {
    /// Where the inside of the string begins.
    start: u32,
    len: u32,
    escaped: bool,
    step: u8,
}

impl Named {
    const NONE: Named = Named { start: 0, len: 0, escaped: false, step: ROOT };

    fn text<'s>(&self, schema: &'s [u8]) -> Text<'s> {
        let rest = schema.get(self.start as usize..).unwrap_or_default();
        Text::from_wire(rest.get(..self.len as usize).unwrap_or_default(), self.escaped)
    }

    /// Whether it is this text. Most are not, and have another length.
    fn is(&self, text: Text<'_>, schema: &[u8]) -> bool {
        let alike = self.escaped || text.is_escaped() || self.len as usize == text.raw().len();
        alike && self.text(schema) == text
    }
}

/// Which parameters of a tool are mirrored in headers: places in the tool's schema, without a borrow, so that a host
/// can keep them beside it and look through [`view`](ParamTable::view). About 1.2 KB.
#[derive(Clone, Copy, Debug)]
pub struct ParamTable {
    schema_len: u32,
    headers: u8,
    steps: u8,
    /// The values of `x-mcp-header`, in the order of the schema, each with the last step of its path.
    names: [Named; MAX_PARAM_HEADERS],
    /// The property names on all paths, each with the step before it; that one always comes first in the list.
    path: [Named; MAX_PARAM_STEPS],
}

impl ParamTable {
    /// Compiles a tool's `inputSchema`, given as JSON text.
    ///
    /// Only what stands where JSON Schema (2020-12, and the older drafts' `dependencies`, `definitions`,
    /// `additionalItems` and array of `items`) has a schema is an annotation; in `default`, `const`, `enum`, `examples`
    /// and under keywords that nobody knows it is data (PRM-10). `$ref` is not followed. The time is linear in the
    /// schema, but for the search for repeated members.
    ///
    /// `scratch` is what [`json::check`](crate::json::check) needs;
    /// [`scratch_len`](crate::json::scratch_len) of the schema's length always suffices.
    ///
    /// # Errors
    ///
    /// [`SchemaError`]: the first fault in the order of the text, in a schema that is valid JSON.
    pub fn compile(schema: &[u8], scratch: &mut [u64]) -> Result<Self, SchemaError> {
        compile::compile(schema, scratch)
    }

    /// The mirrored parameters, over the schema that was compiled. `None` when the schema has another length; with
    /// another schema of the same length the view shows whatever stands there, so keep the two together.
    pub fn view<'s>(&'s self, schema: &'s [u8]) -> Option<ParamHeaders<'s>> {
        if schema.len() == self.schema_len as usize { Some(ParamHeaders { table: self, schema }) } else { None }
    }
}

/// The parameters of one tool that are mirrored in headers; made by [`ParamTable::view`].
#[derive(Clone, Copy)]
pub struct ParamHeaders<'s> {
    table: &'s ParamTable,
    schema: &'s [u8],
}

impl<'s> ParamHeaders<'s> {
    /// How many there are.
    pub const fn len(&self) -> usize {
        self.table.headers as usize
    }

    /// Whether no parameter is mirrored.
    pub const fn is_empty(&self) -> bool {
        self.table.headers == 0
    }

    /// The names of the header fields, in the order of the schema.
    pub fn names(&self) -> impl Iterator<Item = ParamName<'s>> + use<'s> {
        let schema = self.schema;
        self.named().iter().map(move |name| ParamName(name.text(schema)))
    }

    fn named(&self) -> &'s [Named] {
        self.table.names.get(..self.len()).unwrap_or_default()
    }

    /// The values of the mirrored arguments, by the number of their step. What is not on any path is not looked at,
    /// and each object on one is gone through once.
    fn resolve<'a>(&self, arguments: Option<Raw<'a>>) -> [Option<Raw<'a>>; MAX_PARAM_STEPS] {
        let path = self.table.path.get(..usize::from(self.table.steps)).unwrap_or_default();
        let mut found = [None; MAX_PARAM_STEPS];
        for parent in core::iter::once(ROOT).chain(0..self.table.steps) {
            let value = if parent == ROOT { arguments } else { found.get(usize::from(parent)).copied().flatten() };
            let mut missing = path.iter().filter(|step| step.step == parent).count();
            let Some(object) = value.filter(|value| value.kind() == ValueKind::Object && missing > 0) else { continue };
            for (name, value) in object.members() {
                let is = |step: &Named| step.step == parent && step.is(name, self.schema);
                if let Some(slot) = path.iter().position(is).and_then(|step| found.get_mut(step)) {
                    *slot = Some(value);
                    missing -= 1;
                    if missing == 0 {
                        break;
                    }
                }
            }
        }
        found
    }
}

/// The names, for tests and for the host's own logs.
impl fmt::Debug for ParamHeaders<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// Where [`admit`](crate::admit) finds a tool's mirrored parameters: the host's tools.
pub trait ParamSource {
    /// The mirrored parameters of the tool with this name. `None` where the host does not know the tool, or wants
    /// nothing checked.
    fn param_headers(&self, tool: Text<'_>) -> Option<ParamHeaders<'_>>;
}

impl fmt::Debug for dyn ParamSource + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ParamSource")
    }
}
