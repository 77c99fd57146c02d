//! A request that was sent, and what it leads to.

use super::{Received, ResultType};
use crate::answers::{Verdict, check_input_responses};
use crate::capability::covers;
use crate::http::{ParamHeaders, encode_text, is_field_text, trim};
use crate::json::{Raw, Text, TooSmall, ValueKind, Writer};
use crate::ladder::{Context, admit};
use crate::limits::{MAX_BODY_BYTES, MAX_DEPTH};
use crate::policy::Policy;
use crate::reason::{Misuse, Reason};
use crate::reject::{Answer, Rejected};
use crate::reply::{Embedded, ReplyError, host_json, write_head, write_members};
use crate::wire::{Admitted, Era, Id, Kind};

/// A request of this client's, as a server admits it.
#[derive(Clone, Copy, Debug)]
pub struct Sent<'a>(Admitted<'a>);

impl<'a> Sent<'a> {
    /// Reads a request that [`request`](super::request) or [`retry`](Sent::retry) wrote, or that the host wrote itself.
    ///
    /// # Errors
    ///
    /// [`Rejected`] with the reason for which a server of 2026-07-28 would refuse it; [`Reason::AmbiguousKind`] where it is no
    /// request.
    pub fn read(body: &'a [u8], scratch: &mut [u64]) -> Result<Self, Rejected<'a>> {
        let policy: Policy<'_> = Policy { max_bytes: MAX_BODY_BYTES, max_depth: MAX_DEPTH, ..Policy::new() };
        let message = admit(body, &Context::stdio(), &policy, scratch)?;
        if (message.kind(), message.era()) == (Kind::Request, Era::Modern) {
            Ok(Sent(message))
        } else {
            Err(Rejected::after_admission(Some(&message), Reason::AmbiguousKind))
        }
    }

    /// The message, with all that can be asked of it.
    pub const fn message(&self) -> &Admitted<'a> {
        &self.0
    }

    /// The header fields that go with the request over HTTP, one after the other (streamable-http): `Content-Type` and `Accept`;
    /// `MCP-Protocol-Version`, `Mcp-Method` and, where the method has one, `Mcp-Name` (HDR-01 to HDR-03); and the `Mcp-Param-*`
    /// of `tool`, the header map of the tool that is called (PRM). `room` holds one name and value at a time.
    ///
    /// # Errors
    ///
    /// - [`Misuse::RequestMethod`]: a method that no header can carry.
    /// - Those of [`ParamHeaders::emit`].
    /// - [`TooSmall`], some fields having been given already.
    pub fn headers(
        &self,
        tool: Option<&ParamHeaders<'_>>,
        room: &mut [u8],
        mut each: impl FnMut(&str, &str),
    ) -> Result<(), ReplyError<'static>> {
        each("Content-Type", "application/json");
        each("Accept", "application/json, text/event-stream");
        if let Some(version) = self.0.version() {
            each("MCP-Protocol-Version", version.as_str());
        }
        let method = self.0.method().and_then(|method| method.as_str()).ok_or(Misuse::RequestMethod)?;
        if !is_field_text(method.as_bytes()) || trim(method.as_bytes()).len() != method.len() {
            return Err(Misuse::RequestMethod.into());
        }
        each("Mcp-Method", method);
        if let Some(name) = self.0.name() {
            let len = encode_text(name, room)?;
            each("Mcp-Name", text(room, len));
        }
        let Some(tool) = tool else { return Ok(()) };
        for field in tool.emit(self.0.arguments())? {
            let split = field.name().emit(room)?;
            let (name, rest) = room.split_at_mut_checked(split).ok_or(TooSmall { needed: split })?;
            let len = field
                .emit_value(rest)
                .map_err(|TooSmall { needed }| TooSmall { needed: split.saturating_add(needed) })?;
            each(text(name, split), text(rest, len));
        }
        Ok(())
    }

    /// Writes the next leg: the same method and params under a new id, with the answers and the state of the last result, which
    /// is what it asked for and nothing of the rounds before (MRTR). Its headers are those of the first leg
    /// ([`headers`](Sent::headers) of what is written here). Returns the length.
    ///
    /// `responses` is the JSON text of an object: one answer for each of the keys that were asked, and no other.
    ///
    /// # Errors
    ///
    /// - [`Misuse::NotInputRequired`]: `received` asks for nothing, or answers another request.
    /// - [`Misuse::IdReused`]: the new id is the old one.
    /// - [`Rejected`] with [`Reason::InputRequests`], and nothing to send: it asks for what this request did not declare, or in a
    ///   way that nobody could answer (MRTR-29). Do not retry.
    /// - [`Misuse::InputResponses`]: an answer is missing, is of the wrong shape, or answers nothing.
    /// - [`Misuse::HostJson`], [`Misuse::HostJsonNotObject`], [`Misuse::ScratchTooSmall`], [`TooSmall`].
    pub fn retry(
        &self,
        received: &Received<'_>,
        responses: &[u8],
        id: Id<'_>,
        scratch: &mut [u64],
        out: &mut [u8],
    ) -> Result<usize, ReplyError<'static>> {
        let own = self.0.id().ok_or(Misuse::NotARequest)?;
        let answers = received.id().is_some_and(|answered| answered.raw() == own.raw());
        if !answers || received.result_type() != Some(ResultType::InputRequired) {
            return Err(Misuse::NotInputRequired.into());
        }
        if id.is_same(&own) {
            return Err(Misuse::IdReused.into());
        }
        self.check_asked(received.input_requests(), scratch)?;
        let responses = host_json(responses, scratch)?;
        check_responses(received.input_requests(), responses)?;
        let method = self.0.method().ok_or(Misuse::NotARequest)?;
        let mut w = Writer::new(out);
        write_head(&mut w, Some(id));
        w.raw(b"\"method\":\"");
        w.raw(method.raw());
        w.raw(b"\",\"params\":{");
        let own = |name: Text<'_>| name == *"requestState" || name == *"inputResponses";
        let params = self.0.params().into_iter().flat_map(|params| params.members());
        write_members(&mut w, params.filter(|(name, _)| !own(*name)), true);
        // The `_meta` of a modern request stands before these.
        if received.input_requests().is_some() {
            w.raw(b",\"inputResponses\":");
            w.minified(responses);
        }
        if let Some(state) = received.request_state() {
            w.raw(b",\"requestState\":\"");
            w.raw(state.raw());
            w.raw(b"\"");
        }
        w.raw(b"}}");
        Ok(w.finish()?)
    }
}

impl Sent<'_> {
    /// MRTR-29: each question is one of the three kinds, and one that the request declared.
    fn check_asked(&self, requests: Option<Raw<'_>>, scratch: &mut [u64]) -> Result<(), ReplyError<'static>> {
        for (_, request) in requests.iter().flat_map(Raw::members) {
            let declared = |need| covers(self.0.capabilities(), need);
            match Embedded::read(request.as_bytes(), scratch) {
                Ok(question) if question.needs().all(declared) => {}
                Err(Misuse::ScratchTooSmall) => return Err(Misuse::ScratchTooSmall.into()),
                _ => return Err(Rejected::new(Reason::InputRequests).answered(Answer::Silence).into()),
            }
        }
        Ok(())
    }
}

/// What was written into a buffer: a header's text, which is ASCII.
fn text(room: &[u8], len: usize) -> &str {
    room.get(..len).and_then(|bytes| core::str::from_utf8(bytes).ok()).unwrap_or_default()
}

/// Every question has its answer, and every answer its question.
fn check_responses(requests: Option<Raw<'_>>, responses: Raw<'_>) -> Result<(), Misuse> {
    if responses.kind() != ValueKind::Object {
        return Err(Misuse::HostJsonNotObject);
    }
    let Some(requests) = requests else {
        return if responses.members().next().is_none() { Ok(()) } else { Err(Misuse::InputResponses) };
    };
    let mut sound = requests.members().count() == responses.members().count();
    // A form that the server made wrong is none that could be answered.
    check_input_responses(requests, Some(responses), |_, verdict| sound &= verdict == Verdict::Answered)
        .map_err(|_| Misuse::InputResponses)?;
    if sound { Ok(()) } else { Err(Misuse::InputResponses) }
}
