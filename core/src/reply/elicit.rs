//! Questions to the client, as they are embedded in an `input_required` result.

use super::{ReplyError, host_json};
use crate::capability::Need;
use crate::json::{Raw, Text, ValueKind, Writer};
use crate::reason::Misuse;

/// Writes the request that asks the client's user to fill in a form, for a [`Question`](super::Question): `message`
/// says what for, `schema` is the JSON text of the form's `RequestedSchema` (client/elicitation). Returns the length.
///
/// The schema is checked as far as [`input_required`](super::input_required) checks one: an object with `type`
/// "object", `properties`, and optional strings in `required`; each property an object with one of the five types
/// that a form can have.
///
/// # Errors
///
/// [`Misuse::HostJson`], [`Misuse::InvalidQuestion`], [`Misuse::ScratchTooSmall`] or
/// [`TooSmall`](crate::json::TooSmall).
pub fn elicit(message: &str, schema: &[u8], scratch: &mut [u64], out: &mut [u8]) -> Result<usize, ReplyError<'static>> {
    let schema = host_json(schema, scratch)?;
    if !is_requested_schema(schema) {
        return Err(Misuse::InvalidQuestion.into());
    }
    let mut w = Writer::new(out);
    w.raw(b"{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\",\"message\":");
    w.string(message);
    w.raw(b",\"requestedSchema\":");
    w.minified(schema);
    w.raw(b"}}");
    Ok(w.finish()?)
}

/// One checked question.
pub(super) struct Embedded<'q> {
    method: &'static str,
    params: Option<Raw<'q>>,
    needs: [Option<Need>; 2],
}

impl<'q> Embedded<'q> {
    /// Checks what the host wants to ask: one of the three kinds, with what that kind requires (MRTR-06).
    pub(super) fn read(request: &'q [u8], scratch: &mut [u64]) -> Result<Self, Misuse> {
        Self::of(host_json(request, scratch)?).ok_or(Misuse::InvalidQuestion)
    }

    fn of(request: Raw<'q>) -> Option<Self> {
        let name = request.get("method")?.text()?;
        let params = request.get("params");
        let (method, needs) = if name == *"elicitation/create" {
            ("elicitation/create", [Some(elicitation(params?)?), None])
        } else if name == *"sampling/createMessage" {
            ("sampling/createMessage", sampling(params?)?)
        } else if name == *"roots/list" && params.is_none_or(is_object) {
            ("roots/list", [Some(Need::Roots), None])
        } else {
            return None;
        };
        Some(Embedded { method, params, needs })
    }

    /// What the client must have declared.
    pub(super) fn needs(&self) -> impl Iterator<Item = Need> {
        self.needs.into_iter().flatten()
    }

    /// Writes the request bare, `method` and `params` and nothing else (MRTR-07): an `id` here would invite the
    /// client to answer with a message of its own.
    pub(super) fn write(&self, w: &mut Writer<'_>) {
        w.raw(b"{\"method\":");
        w.string(self.method);
        if let Some(params) = self.params {
            w.raw(b",\"params\":");
            w.minified(params);
        }
        w.raw(b"}");
    }
}

/// ELIC-01 to ELIC-06. Returns what the client must be able to do.
fn elicitation(params: Raw<'_>) -> Option<Need> {
    params.get("message")?.text()?;
    let mode = params.get("mode").map_or(Some(Text::plain("form")), |mode| mode.text())?;
    if mode == *"form" && is_requested_schema(params.get("requestedSchema")?) {
        Some(Need::ElicitationForm)
    } else if mode == *"url" && is_absolute_uri(params.get("url")?.text()?) {
        Some(Need::ElicitationUrl)
    } else {
        None
    }
}

/// CAP-08 and CAP-09. A need for tools or context stands for the one for sampling itself.
fn sampling(params: Raw<'_>) -> Option<[Option<Need>; 2]> {
    if params.get("messages")?.kind() != ValueKind::Array || params.get("maxTokens")?.kind() != ValueKind::Number {
        return None;
    }
    let tools = params.get("tools").is_some() || params.get("toolChoice").is_some();
    let context = match params.get("includeContext") {
        None => false,
        Some(value) => {
            let text = value.text()?;
            if ["none", "thisServer", "allServers"].iter().all(|known| text != *known) {
                return None;
            }
            text != *"none"
        }
    };
    Some(match (tools, context) {
        (false, false) => [Some(Need::Sampling), None],
        _ => [tools.then_some(Need::SamplingTools), context.then_some(Need::SamplingContext)],
    })
}

/// ELIC-06, and of ELIC-07 that every property is a schema with one of the types that a form can have.
fn is_requested_schema(schema: Raw<'_>) -> bool {
    let is_string = |value: Raw<'_>| value.kind() == ValueKind::String;
    schema.get("type").and_then(|value| value.text()).is_some_and(|text| text == *"object")
        && schema.get("properties").is_some_and(|all| is_object(all) && all.members().all(|(_, one)| is_property(one)))
        && schema.get("required").is_none_or(|all| all.kind() == ValueKind::Array && all.elements().all(is_string))
        && schema.get("$schema").is_none_or(is_string)
}

fn is_property(schema: Raw<'_>) -> bool {
    schema
        .get("type")
        .and_then(|value| value.text())
        .is_some_and(|text| ["string", "number", "integer", "boolean", "array"].iter().any(|known| text == *known))
}

/// Whether the text can be an absolute URI (RFC 3986, 3 and 3.1): a scheme, a colon, and then something, all of it
/// visible ASCII.
fn is_absolute_uri(text: Text<'_>) -> bool {
    let mut scheme = 0usize; // how many characters of the scheme have passed
    let mut colon = false;
    let mut rest = false;
    for byte in text.bytes() {
        let fits = match byte {
            _ if colon => byte.is_ascii_graphic(),
            b':' => scheme > 0,
            b'a'..=b'z' | b'A'..=b'Z' => true,
            b'0'..=b'9' | b'+' | b'-' | b'.' => scheme > 0,
            _ => false,
        };
        if !fits {
            return false;
        }
        rest = colon;
        colon |= byte == b':';
        scheme = scheme.saturating_add(1);
    }
    rest
}

fn is_object(value: Raw<'_>) -> bool {
    value.kind() == ValueKind::Object
}
