//! Questions to the client, as they are embedded in an `input_required` result.

use super::sampling::{sampling, sampling_since};
use super::{ReplyError, host_json, is_object, write_members};
use crate::capability::Need;
use crate::form::{check_requested_schema, form_since, is_uri};
use crate::json::{Raw, Text, ValueKind, Writer};
use crate::reason::Misuse;
use crate::wire::{ServerRequest, Version};

/// Writes the request that asks the client's user to fill in a form, for a [`Question`](super::Question): `message`
/// says what for, `schema` is the JSON text of the form's `RequestedSchema` (client/elicitation). Returns the length.
///
/// The schema is checked as [`check_requested_schema`](crate::check_requested_schema) does.
///
/// # Errors
///
/// [`Misuse::HostJson`], the `Form...` faults of [`Misuse`], [`Misuse::ScratchTooSmall`] or
/// [`TooSmall`](crate::json::TooSmall).
pub fn elicit(message: &str, schema: &[u8], scratch: &mut [u64], out: &mut [u8]) -> Result<usize, ReplyError<'static>> {
    let schema = host_json(schema, scratch)?;
    check_requested_schema(schema).map_err(|error| error.fault)?;
    let mut w = Writer::new(out);
    w.raw(b"{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\",\"message\":");
    w.string(message);
    w.raw(b",\"requestedSchema\":");
    w.minified(schema);
    w.raw(b"}}");
    Ok(w.finish()?)
}

/// Writes the request that asks the client's user to open `url`, for what must not pass through the client
/// (client/elicitation, "URL mode"): `message` says what for. Returns the length. That the user agreed does not mean that
/// anything has been done there (ELIC-30).
///
/// # Errors
///
/// [`Misuse::Url`] where `url` is no URI with a scheme (RFC 3986), [`TooSmall`](crate::json::TooSmall).
pub fn elicit_url(message: &str, url: &str, out: &mut [u8]) -> Result<usize, ReplyError<'static>> {
    if !is_uri(Text::plain(url)) {
        return Err(Misuse::Url.into());
    }
    let mut w = Writer::new(out);
    w.raw(b"{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"url\",\"message\":");
    w.string(message);
    w.raw(b",\"url\":");
    w.string(url);
    w.raw(b"}}");
    Ok(w.finish()?)
}

/// Writes the request that asks the client's model to go on, for a [`Question`](super::Question): `params` is the JSON
/// text of `CreateMessageRequestParams` (client/sampling), which sampling deprecates with its feature (LOG-09). Returns
/// the length.
///
/// # Errors
///
/// [`Misuse::HostJson`], [`Misuse::Sampling`], [`Misuse::ToolBalance`], [`Misuse::ScratchTooSmall`] or
/// [`TooSmall`](crate::json::TooSmall).
pub fn sample(params: &[u8], scratch: &mut [u64], out: &mut [u8]) -> Result<usize, ReplyError<'static>> {
    let params = host_json(params, scratch)?;
    sampling(params)?;
    let mut w = Writer::new(out);
    w.raw(b"{\"method\":\"sampling/createMessage\",\"params\":");
    w.minified(params);
    w.raw(b"}");
    Ok(w.finish()?)
}

/// The request that asks for the client's roots, for a [`Question`](super::Question) (client/roots).
pub const LIST_ROOTS: &[u8] = br#"{"method":"roots/list"}"#;

/// One checked question.
pub(crate) struct Embedded<'q> {
    request: ServerRequest,
    params: Option<Raw<'q>>,
    needs: [Option<Need>; 2],
}

impl<'q> Embedded<'q> {
    /// Checks what the host wants to ask: one of the three kinds, with what that kind requires (MRTR-06).
    pub(crate) fn read(request: &'q [u8], scratch: &mut [u64]) -> Result<Self, Misuse> {
        let request = host_json(request, scratch)?;
        let name = request.get("method").and_then(|name| name.text()).ok_or(Misuse::InvalidQuestion)?;
        let params = request.get("params");
        let (request, needs) = if name == *"elicitation/create" {
            (ServerRequest::Elicit, [Some(elicitation(params.ok_or(Misuse::InvalidQuestion)?)?), None])
        } else if name == *"sampling/createMessage" {
            (ServerRequest::Sample, sampling(params.ok_or(Misuse::InvalidQuestion)?)?)
        } else if name == *"roots/list" && params.is_none_or(is_object) {
            (ServerRequest::ListRoots, [Some(Need::Roots), None])
        } else {
            return Err(Misuse::InvalidQuestion);
        };
        Ok(Embedded { request, params, needs })
    }

    /// What the client must have declared.
    pub(crate) fn needs(&self) -> impl Iterator<Item = Need> {
        self.needs.into_iter().flatten()
    }

    /// Writes the request bare, `method` and `params` and nothing else (MRTR-07): an `id` here would invite the
    /// client to answer with a message of its own.
    pub(super) fn write(&self, w: &mut Writer<'_>) {
        w.raw(b"{\"method\":");
        w.string(self.request.method());
        if let Some(params) = self.params {
            w.raw(b",\"params\":");
            w.minified(params);
        }
        w.raw(b"}");
    }
}

impl<'q> Embedded<'q> {
    /// The first legacy revision that has every part of the question, whatever the client can do.
    pub(crate) fn since(&self) -> Version {
        match (self.request, self.params) {
            (ServerRequest::Sample, Some(params)) => sampling_since(params),
            (ServerRequest::Elicit, Some(params)) => {
                params.get("requestedSchema").map_or(Version::V2024_11_05, form_since)
            }
            _ => Version::V2024_11_05,
        }
    }

    /// The `elicitationId` that the host gave a URL.
    pub(crate) fn elicitation_id(&self) -> Option<Text<'q>> {
        let url = self.needs().any(|need| need == Need::ElicitationUrl);
        if url { self.params?.get("elicitationId")?.text() } else { None }
    }

    /// Which kind of question it is.
    pub(crate) const fn request(&self) -> ServerRequest {
        self.request
    }

    /// Writes `method` and `params` as a legacy revision has them: before 2025-11-25 an elicitation has no `mode`, and a form
    /// less in it; from then on a URL has an `elicitationId` (LEG-40, LEG-41).
    pub(crate) fn write_legacy(&self, w: &mut Writer<'_>, version: Version, id: u64) {
        w.raw(b"\"method\":");
        w.string(self.request.method());
        let Some(params) = self.params else { return };
        let form = params.get("requestedSchema").filter(|_| self.request == ServerRequest::Elicit);
        let form = form.filter(|_| version < Version::V2025_11_25);
        w.raw(b",\"params\":{");
        let rewritten = |name: Text<'_>| form.is_some() && (name == *"mode" || name == *"requestedSchema");
        let empty = write_members(w, params.members().filter(|(name, _)| !rewritten(*name)), true);
        if let Some(form) = form {
            w.raw(if empty { b"\"requestedSchema\":" } else { b",\"requestedSchema\":" });
            write_older_form(w, form);
        }
        let url = self.needs().any(|need| need == Need::ElicitationUrl);
        if url && self.elicitation_id().is_none() {
            w.raw(if empty { b"\"elicitationId\":\"" } else { b",\"elicitationId\":\"" });
            w.natural(id);
            w.raw(b"\"");
        }
        w.raw(b"}");
    }
}

/// Writes a checked form as 2025-06-18 has it: without `$schema`, and without defaults of anything but a flag (LEG-40). They
/// bind nothing, so that the same answers fit.
fn write_older_form(w: &mut Writer<'_>, form: Raw<'_>) {
    let mut separator: &[u8] = b"{\"";
    for (name, value) in form.members().filter(|(name, _)| *name != *"$schema") {
        w.raw(separator);
        w.raw(name.raw());
        w.raw(b"\":");
        if name == *"properties" {
            write_older_properties(w, value);
        } else {
            w.minified(value);
        }
        separator = b",\"";
    }
    w.raw(b"}");
}

fn write_older_properties(w: &mut Writer<'_>, properties: Raw<'_>) {
    let later = |name: Text<'_>, value: Raw<'_>| name == *"default" && value.kind() != ValueKind::Bool;
    w.raw(b"{");
    let mut separator: &[u8] = b"\"";
    for (name, property) in properties.members() {
        w.raw(separator);
        w.raw(name.raw());
        w.raw(b"\":{");
        write_members(w, property.members().filter(|(name, value)| !later(*name, *value)), true);
        w.raw(b"}");
        separator = b",\"";
    }
    w.raw(b"}");
}

/// ELIC-01 to ELIC-06. Returns what the client must be able to do.
fn elicitation(params: Raw<'_>) -> Result<Need, Misuse> {
    if !params.has_string("message") {
        return Err(Misuse::InvalidQuestion);
    }
    let mode = match params.get("mode") {
        None => Text::plain("form"),
        Some(mode) => mode.text().ok_or(Misuse::InvalidQuestion)?,
    };
    if mode == *"form" {
        let schema = params.get("requestedSchema").ok_or(Misuse::InvalidQuestion)?;
        check_requested_schema(schema).map_err(|error| error.fault)?;
        Ok(Need::ElicitationForm)
    } else if mode == *"url" {
        let url = params.get("url").and_then(|url| url.text()).ok_or(Misuse::InvalidQuestion)?;
        if params.get("elicitationId").is_some_and(|id| id.kind() != ValueKind::String) {
            return Err(Misuse::InvalidQuestion);
        }
        if is_uri(url) { Ok(Need::ElicitationUrl) } else { Err(Misuse::Url) }
    } else {
        Err(Misuse::InvalidQuestion)
    }
}
