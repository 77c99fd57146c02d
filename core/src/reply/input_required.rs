//! The result that asks for more before the request can be served (basic/patterns/mrtr).

use super::elicit::Embedded;
use super::{ReplyError, host_server_info, request_id, write_head, write_meta};
use crate::capability::covers;
use crate::json::{Raw, Writer};
use crate::limits::MAX_QUESTIONS;
use crate::reason::Misuse;
use crate::reject::Rejected;
use crate::wire::{Admitted, Era};

/// One thing to ask of the client.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// The key under which the answer comes back; chosen by the host, unique within the result.
    pub key: &'q str,
    /// The request as JSON: `{"method":...,"params":...}`, an `elicitation/create` (see [`elicit`](super::elicit)),
    /// `sampling/createMessage` or `roots/list`. Other members are not sent.
    pub request: &'q [u8],
}

/// Writes the response that asks the client for input before the request `to` can be served: `questions` for it to
/// answer, a `request_state` to bring back with the answers, or both. `server_info` as in
/// [`CompleteOptions`](super::CompleteOptions). Returns the length.
///
/// The sealed state is what makes the retry trustworthy; the answers themselves never are.
///
/// `scratch`: [`scratch_len`](crate::json::scratch_len) slots for the longest of the given JSON texts suffice.
///
/// # Errors
///
/// - [`Rejected`]: the client did not declare what a question needs (-32021, HTTP 400). It names what the first such
///   question needs; send it.
/// - [`Misuse::NotARequest`]: `to` is not a request.
/// - [`Misuse::NoInputRequired`]: `to` is a legacy request, or its method is not `tools/call`, `prompts/get` or
///   `resources/read`.
/// - [`Misuse::NothingRequired`]: neither question nor state.
/// - [`Misuse::TooManyQuestions`]: more than [`MAX_QUESTIONS`].
/// - [`Misuse::DuplicateKey`]: two questions have the same key.
/// - [`Misuse::InvalidQuestion`]: a question of no known kind, or without what its kind requires.
/// - [`Misuse::HostJson`], [`Misuse::ServerInfo`], [`Misuse::ScratchTooSmall`],
///   [`TooSmall`](crate::json::TooSmall).
///
/// A fault of the host is reported before one of the client, so that it shows with every client.
pub fn input_required<'a>(
    to: &Admitted<'a>,
    questions: &[Question<'_>],
    request_state: Option<&str>,
    server_info: Option<&[u8]>,
    scratch: &mut [u64],
    out: &mut [u8],
) -> Result<usize, ReplyError<'a>> {
    let id = request_id(to)?;
    if to.era() != Era::Modern || !to.known_method().is_some_and(|method| method.input_required) {
        return Err(Misuse::NoInputRequired.into());
    }
    if questions.is_empty() && request_state.is_none() {
        return Err(Misuse::NothingRequired.into());
    }
    if questions.len() > MAX_QUESTIONS {
        return Err(Misuse::TooManyQuestions.into());
    }
    if has_equal_keys(questions) {
        return Err(Misuse::DuplicateKey.into());
    }
    let server_info = host_server_info(server_info, scratch)?;

    let mut w = Writer::new(out);
    write_head(&mut w, Some(id));
    w.raw(b"\"result\":{\"resultType\":\"input_required\"");
    let mut missing = None;
    let mut open: &[u8] = b",\"inputRequests\":{";
    for question in questions {
        let request = Embedded::read(question.request, scratch)?;
        missing = missing.or_else(|| request.needs().find(|need| !covers(to.capabilities(), *need)));
        w.raw(open);
        w.string(question.key);
        w.raw(b":");
        request.write(&mut w);
        open = b",";
    }
    if !questions.is_empty() {
        w.raw(b"}");
    }
    if let Some(need) = missing {
        let required = Raw::from_checked(need.required());
        return Err(Rejected::missing_capability(to, required).into());
    }
    if let Some(state) = request_state {
        w.raw(b",\"requestState\":");
        w.string(state);
    }
    write_meta(&mut w, None, server_info);
    w.raw(b"}}");
    Ok(w.finish()?)
}

fn has_equal_keys(questions: &[Question<'_>]) -> bool {
    let mut rest = questions;
    while let Some((first, tail)) = rest.split_first() {
        if tail.iter().any(|other| other.key == first.key) {
            return true;
        }
        rest = tail;
    }
    false
}
