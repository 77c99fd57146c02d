//! What a server answered, of whichever era (basic/index, "Responses"; basic/patterns/mrtr; server/utilities/caching).

use super::Sent;
use crate::json::{Raw, Text, ValueKind, check};
use crate::limits::{MAX_DEPTH, MAX_QUESTIONS, MAX_TTL_MS};
use crate::reason::Reason;
use crate::reject::{Answer, Rejected};
use crate::reply::CacheScope;
use crate::wire::{Id, SERVER_INFO, is_implementation, is_integer};

/// What kind of result it is (RES-02).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultType {
    /// The request was served. Servers of earlier revisions do not say so (RES-04).
    Complete,
    /// The server needs input first: see [`Sent::retry`].
    InputRequired,
    /// A task of the tasks extension, which this crate recognises and nothing more.
    Task,
}

impl ResultType {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            ResultType::Complete => "complete",
            ResultType::InputRequired => "input_required",
            ResultType::Task => "task",
        }
    }
}

/// One response that was checked: its accessors cannot fail, and borrow from the body.
#[derive(Clone, Copy, Debug)]
pub struct Received<'a> {
    id: Option<Id<'a>>,
    outcome: Outcome<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Outcome<'a> {
    Result { kind: ResultType, result: Raw<'a> },
    Error(Raw<'a>),
}

impl<'a> Received<'a> {
    /// Reads a response or an error: one JSON object, strictly.
    ///
    /// # Errors
    ///
    /// [`Rejected`], with nothing to send:
    /// - what is no JSON, repeats a member or is nested too deep, as for [`admit`](crate::admit);
    /// - [`Reason::InvalidResponse`]: not one response by JSON-RPC: `result`, an object, or `error`, with an integer `code` and a
    ///   string `message`; an id that is none (ENV-11, ENV-12);
    /// - [`Reason::ResultType`]: a `resultType` that nobody here knows (RES-03);
    /// - [`Reason::InputRequests`]: `input_required` with neither question nor state, with a question of no known kind, or too many
    ///   of them, or a state that is no string.
    pub fn read(body: &'a [u8], scratch: &mut [u64]) -> Result<Self, Rejected<'a>> {
        let refuse = |reason| Rejected::new(reason).answered(Answer::Silence);
        let message = check(body, MAX_DEPTH, scratch).map_err(|error| refuse(error.reason).at(error.offset))?;
        Self::of(message).map_err(refuse)
    }

    fn of(message: Raw<'a>) -> Result<Self, Reason> {
        let two = message.get("jsonrpc").and_then(|text| text.text()).is_some_and(|text| text == *"2.0");
        if !two || message.get("method").is_some() {
            return Err(Reason::InvalidResponse);
        }
        let id = message.get("id").filter(|id| id.kind() != ValueKind::Null);
        let id = id.map(Id::parse).transpose().map_err(|_| Reason::InvalidResponse)?;
        let outcome = match (message.get("result"), message.get("error")) {
            (Some(result), None) if result.kind() == ValueKind::Object && id.is_some() => {
                Outcome::Result { kind: result_type(result)?, result }
            }
            (None, Some(error)) if error.get("code").is_some_and(is_integer) && error.has_string("message") => {
                Outcome::Error(error)
            }
            _ => return Err(Reason::InvalidResponse),
        };
        Ok(Received { id, outcome })
    }

    /// The id of the request that is answered; an error may have none.
    pub const fn id(&self) -> Option<Id<'a>> {
        self.id
    }

    /// What kind of result it is; `None` for an error.
    pub const fn result_type(&self) -> Option<ResultType> {
        match self.outcome {
            Outcome::Result { kind, .. } => Some(kind),
            Outcome::Error(_) => None,
        }
    }

    /// The result as it came.
    pub const fn result(&self) -> Option<Raw<'a>> {
        match self.outcome {
            Outcome::Result { result, .. } => Some(result),
            Outcome::Error(_) => None,
        }
    }

    /// The error as it came: an object with `code` and `message`, and perhaps `data`.
    pub const fn error(&self) -> Option<Raw<'a>> {
        match self.outcome {
            Outcome::Error(error) => Some(error),
            Outcome::Result { .. } => None,
        }
    }

    fn member(&self, name: &str) -> Option<Raw<'a>> {
        self.result()?.get(name)
    }

    fn asked(&self, name: &str) -> Option<Raw<'a>> {
        let asks = self.result_type() == Some(ResultType::InputRequired);
        if asks { self.member(name).filter(|value| value.kind() != ValueKind::Null) } else { None }
    }

    /// What is asked, by key: an object of requests of the three kinds.
    pub fn input_requests(&self) -> Option<Raw<'a>> {
        self.asked("inputRequests")
    }

    /// The state to bring back as it is.
    pub fn request_state(&self) -> Option<Text<'a>> {
        self.asked("requestState")?.text()
    }

    /// Where a list goes on; `None`: it ends here. The empty string is a cursor like any other (PAGE-02, PAGE-03).
    pub fn next_cursor(&self) -> Option<Text<'a>> {
        self.member("nextCursor")?.text()
    }

    /// Who the server says it is: an unverified claim.
    pub fn server_info(&self) -> Option<Raw<'a>> {
        self.member("_meta")?.get(SERVER_INFO).filter(|info| is_implementation(*info))
    }

    /// How long the result stays fresh, in milliseconds: 0 where it does not say, or says what cannot be (CACHE-04); at most
    /// [`MAX_TTL_MS`] (CACHE-20).
    pub fn ttl_ms(&self) -> u64 {
        let ttl = self.member("ttlMs").filter(|_| self.result_type() == Some(ResultType::Complete));
        ttl.and_then(crate::form::number).and_then(|ttl| ttl.natural()).unwrap_or(0).min(MAX_TTL_MS)
    }

    /// Who may keep the result: for its user alone, unless it says otherwise (CACHE-08, CACHE-19).
    pub fn cache_scope(&self) -> CacheScope {
        let public = self.member("cacheScope").and_then(|scope| scope.text()).is_some_and(|scope| scope == *"public");
        if public { CacheScope::Public } else { CacheScope::Private }
    }

    /// Until when the result may be used for the same method and params again, given when it was received, by the client's own
    /// clock: fresh before that time (CACHE-05, CACHE-06). `None` where it may not be kept: it is stale at once, the method has no
    /// such results, or the request carried answers or a state (CACHE-07).
    pub fn fresh_until_ms(&self, sent: &Sent<'_>, received_ms: u64) -> Option<u64> {
        let request = sent.message();
        let plain = request.request_state().is_none() && request.input_responses().is_none();
        let cacheable = plain && request.known_method().is_some_and(|method| method.cacheable);
        Some(self.ttl_ms()).filter(|ttl| cacheable && *ttl > 0).map(|ttl| received_ms.saturating_add(ttl))
    }
}

/// RES-02 to RES-05, and what `input_required` needs (MRTR-03 to MRTR-07).
fn result_type(result: Raw<'_>) -> Result<ResultType, Reason> {
    let Some(named) = result.get("resultType") else { return Ok(ResultType::Complete) };
    let named = named.text().ok_or(Reason::ResultType)?;
    let known = [ResultType::Complete, ResultType::InputRequired, ResultType::Task];
    let kind = known.into_iter().find(|kind| named == *kind.as_str()).ok_or(Reason::ResultType)?;
    if kind == ResultType::InputRequired && !asks(result) {
        return Err(Reason::InputRequests);
    }
    Ok(kind)
}

fn asks(result: Raw<'_>) -> bool {
    let member = |name: &str| result.get(name).filter(|value| value.kind() != ValueKind::Null);
    let (requests, state) = (member("inputRequests"), member("requestState"));
    let sound = requests.is_none_or(|requests| {
        requests.kind() == ValueKind::Object
            && requests.members().count() <= MAX_QUESTIONS
            && requests.members().all(|(_, request)| is_question(request))
    });
    let any = requests.is_some_and(|requests| requests.members().next().is_some());
    (any || state.is_some()) && sound && state.is_none_or(|state| state.kind() == ValueKind::String)
}

fn is_question(request: Raw<'_>) -> bool {
    let Some(method) = request.get("method").and_then(|method| method.text()) else { return false };
    let params = request.get("params").is_some_and(|params| params.kind() == ValueKind::Object);
    method == *"roots/list" || (params && (method == *"elicitation/create" || method == *"sampling/createMessage"))
}
