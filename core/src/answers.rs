//! What a client brings back for the questions that it was asked (basic/patterns/mrtr, "Input Responses").

use crate::form::{ContentError, check_content, requires_content};
use crate::json::{Raw, Text, ValueKind};
use crate::limits::MAX_QUESTIONS;
use crate::reason::{Misuse, Reason};

/// What one answer is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict<'a> {
    /// It has the shape that was asked for, and content that fits the form. Whether the person accepted, declined or
    /// cancelled is for the host to read.
    Answered,
    /// There is none, or it was accepted without the content that the form requires: ask again (MRTR-23, ELIC-24).
    Missing,
    /// It is at fault: -32602 (MRTR-21).
    Invalid {
        /// What is wrong.
        reason: Reason,
        /// The member of the content that is, where it is one.
        member: Option<Text<'a>>,
    },
}

/// Compares a retry's `inputResponses` with the `inputRequests` that they answer, both checked values: one verdict for
/// each request, in the order of `requests`. Answers to nothing that was asked are left out (MRTR-22); `None` for
/// `responses` stands for none at all.
///
/// Nothing here has been authenticated: open the `requestState` first, and take `requests` from what it sealed or
/// from the host's own knowledge, never from the client.
///
/// # Errors
///
/// [`Misuse::InvalidQuestion`] where a request is none of the three kinds, [`Misuse::HostJsonNotObject`] where
/// `requests` is no object, [`Misuse::TooManyQuestions`] beyond [`MAX_QUESTIONS`], and the faults of a form's schema.
pub fn check_input_responses<'a>(
    requests: Raw<'a>,
    responses: Option<Raw<'a>>,
    mut each: impl FnMut(Text<'a>, Verdict<'a>),
) -> Result<(), Misuse> {
    if requests.kind() != ValueKind::Object {
        return Err(Misuse::HostJsonNotObject);
    }
    if requests.members().count() > MAX_QUESTIONS {
        return Err(Misuse::TooManyQuestions);
    }
    for (key, request) in requests.members() {
        let mut all = responses.into_iter().flat_map(|all| all.members());
        let response = all.find(|(name, _)| *name == key).map(|(_, response)| response);
        each(key, verdict(request, response)?);
    }
    Ok(())
}

fn verdict<'a>(request: Raw<'a>, response: Option<Raw<'a>>) -> Result<Verdict<'a>, Misuse> {
    let method = request.get("method").and_then(|method| method.text()).ok_or(Misuse::InvalidQuestion)?;
    let shape = Verdict::Invalid { reason: Reason::InputResponse, member: None };
    let sound = if method == *"elicitation/create" {
        let params = request.get("params").ok_or(Misuse::InvalidQuestion)?;
        return match response {
            None => Ok(Verdict::Missing),
            Some(response) => elicited(params, response).map(|verdict| verdict.unwrap_or(shape)),
        };
    } else if method == *"sampling/createMessage" {
        response.map(is_sampled)
    } else if method == *"roots/list" {
        response.map(is_roots)
    } else {
        return Err(Misuse::InvalidQuestion);
    };
    Ok(match sound {
        None => Verdict::Missing,
        Some(true) => Verdict::Answered,
        Some(false) => shape,
    })
}

/// ELIC-21 to ELIC-24. `None`: not the shape of an ElicitResult.
fn elicited<'a>(params: Raw<'a>, response: Raw<'a>) -> Result<Option<Verdict<'a>>, Misuse> {
    let Some(action) = response.get("action").and_then(|action| action.text()) else { return Ok(None) };
    if action == *"decline" || action == *"cancel" {
        return Ok(Some(Verdict::Answered));
    }
    if action != *"accept" {
        return Ok(None);
    }
    let url = params.get("mode").and_then(|mode| mode.text()).is_some_and(|mode| mode == *"url");
    if url {
        // Accepted means that the person agreed to open it; nothing comes back here (ELIC-22, ELIC-30).
        return Ok(Some(Verdict::Answered));
    }
    let schema = params.get("requestedSchema").ok_or(Misuse::InvalidQuestion)?;
    let content = response.get("content").filter(|content| content.kind() != ValueKind::Null);
    Ok(Some(match content {
        None if requires_content(schema) => Verdict::Missing,
        None => Verdict::Answered,
        Some(content) => match check_content(schema, content) {
            Ok(()) => Verdict::Answered,
            Err(ContentError::Refused { reason, member }) => Verdict::Invalid { reason, member },
            Err(ContentError::Misuse(fault)) => return Err(fault),
        },
    }))
}

/// SAMP-02, SAMP-11: a role, one block of content or several, and the model that wrote it.
fn is_sampled(response: Raw<'_>) -> bool {
    let text = |name: &str| response.get(name).and_then(|value| value.text());
    let block = |block: Raw<'_>| block.has_string("type");
    text("role").is_some_and(|role| role == *"user" || role == *"assistant")
        && text("model").is_some()
        && response.get("content").is_some_and(|content| match content.kind() {
            ValueKind::Array => content.elements().all(block),
            _ => block(content),
        })
}

/// ROOT-01.
fn is_roots(response: Raw<'_>) -> bool {
    let root = |root: Raw<'_>| {
        root.get("uri").and_then(|uri| uri.text()).is_some_and(|uri| uri.bytes().take(7).eq(*b"file://"))
            && root.get("name").is_none_or(|name| name.kind() == ValueKind::String)
    };
    response.get("roots").is_some_and(|roots| roots.kind() == ValueKind::Array && roots.elements().all(root))
}
