//! One session of a legacy client: the handshake, and the requests that the server makes of its own.

use heapless::Vec;

use super::handshake::{Handshake, is_initialize, read_initialize};
use crate::capability::{Need, covers};
use crate::json::digest::{Sha256, for_each_piece};
use crate::json::{Raw, Text, Writer};
use crate::limits::MAX_ELICITATION_IDS;
use crate::reason::{Misuse, Reason};
use crate::reject::Rejected;
use crate::reply::{Embedded, ReplyError};
use crate::wire::{Admitted, Era, Id, Kind, ServerRequest, Version, VersionSet};

/// What came of a request of the server's.
#[derive(Clone, Copy, Debug)]
pub enum Outcome<'a> {
    /// The `result`: an object.
    Result(Raw<'a>),
    /// The `error`: an object with `code` and `message`.
    Error(Raw<'a>),
}

/// What an admitted message means for its session.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// `initialize`: answer with [`emit_initialize`](super::emit_initialize).
    Initialize(Handshake<'a>),
    /// The client is ready (LEG-03).
    Initialized,
    /// `ping`: answer with an empty result (LEG-11).
    Ping,
    /// Any other request: serve it.
    Request,
    /// The client gives up a request of its own: do not answer it any more.
    Cancelled(Id<'a>),
    /// Any other notification.
    Notification,
    /// The answer to a request of the server's.
    Answered {
        /// The id that [`LegacySession::request`] gave it.
        id: u64,
        /// What was asked.
        request: ServerRequest,
        /// What came of it.
        outcome: Outcome<'a>,
    },
    /// Nothing: an answer to what was never asked, or was given up; a cancellation that names nothing (CANC-10).
    Ignored,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    New,
    Initializing,
    Ready,
}

/// The state of one session. It holds up to `N` requests of the server's that wait for their answers, and keeps nothing of
/// what the client sent but the revision and which questions it can be asked.
///
/// That a client never uses a request id twice in a session (LEG-09) is the client's duty; it is not watched here.
#[derive(Debug)]
pub struct LegacySession<const N: usize> {
    served: VersionSet,
    state: State,
    version: Option<Version>,
    can: u8,
    next_id: u64,
    waiting: Vec<(u64, ServerRequest), N>,
    /// Digests of the last `elicitationId`s of the host's own.
    elicitations: Vec<u64, MAX_ELICITATION_IDS>,
    /// How many there were.
    elicited: usize,
}

const NEEDS: [Need; 6] = [
    Need::ElicitationForm,
    Need::ElicitationUrl,
    Need::Sampling,
    Need::SamplingTools,
    Need::SamplingContext,
    Need::Roots,
];

impl<const N: usize> LegacySession<N> {
    /// A session that has not begun. `served` are the legacy revisions of the policy.
    pub const fn new(served: VersionSet) -> Self {
        LegacySession {
            served,
            state: State::New,
            version: None,
            can: 0,
            next_id: 1,
            waiting: Vec::new(),
            elicitations: Vec::new(),
            elicited: 0,
        }
    }

    /// The revision that the handshake settled on; `None` before it.
    pub const fn version(&self) -> Option<Version> {
        self.version
    }

    /// Whether the client has said that it is ready.
    pub fn is_ready(&self) -> bool {
        self.state == State::Ready
    }

    /// How many requests of the server's wait for their answers.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Takes in one admitted message.
    ///
    /// # Errors
    ///
    /// [`Reason::ModernInSession`] for a modern request; [`Reason::NotInitialized`] for a request but `initialize` and `ping`
    /// before the handshake (LEG-04); [`Reason::AlreadyInitialized`]; those of
    /// [`read_initialize`](super::read_initialize).
    pub fn receive<'a>(&mut self, message: &Admitted<'a>) -> Result<Event<'a>, Rejected<'a>> {
        let refuse = |reason| Err(Rejected::after_admission(Some(message), reason));
        if message.era() == Era::Modern {
            return refuse(Reason::ModernInSession);
        }
        match message.kind() {
            Kind::Request if is_initialize(message) => {
                if self.state != State::New {
                    return refuse(Reason::AlreadyInitialized);
                }
                let handshake = read_initialize(message, self.served)?;
                self.state = State::Initializing;
                self.version = Some(handshake.version);
                let able = |need: &Need| covers(Some(handshake.capabilities), *need);
                self.can = (0u8..).zip(NEEDS).filter(|(_, need)| able(need)).fold(0, |can, (bit, _)| can | 1 << bit);
                Ok(Event::Initialize(handshake))
            }
            Kind::Request if message.method().is_some_and(|method| method == "ping") => Ok(Event::Ping),
            Kind::Request if self.state == State::New => refuse(Reason::NotInitialized),
            // A client that does not wait for its own notification is served all the same.
            Kind::Request => Ok(Event::Request),
            Kind::Notification => Ok(self.notified(message)),
            Kind::Response | Kind::Error => Ok(self.answered(message)),
        }
    }

    fn notified<'a>(&mut self, message: &Admitted<'a>) -> Event<'a> {
        let Some(method) = message.method() else { return Event::Ignored };
        if method == "notifications/initialized" {
            if self.state != State::Initializing {
                return Event::Ignored;
            }
            self.state = State::Ready;
            return Event::Initialized;
        }
        if method == "notifications/cancelled" {
            return message.cancelled_id().map_or(Event::Ignored, Event::Cancelled);
        }
        if self.state == State::New { Event::Ignored } else { Event::Notification }
    }

    fn answered<'a>(&mut self, message: &Admitted<'a>) -> Event<'a> {
        let outcome = match (message.result(), message.error()) {
            (Some(result), _) => Outcome::Result(result),
            (None, Some(error)) => Outcome::Error(error),
            (None, None) => return Event::Ignored,
        };
        let Some(id) = message.id().filter(|id| id.text().is_none()).and_then(|id| natural(id.raw())) else {
            return Event::Ignored;
        };
        let Some(at) = self.waiting.iter().position(|(waiting, _)| *waiting == id) else { return Event::Ignored };
        let (id, request) = self.waiting.swap_remove(at);
        Event::Answered { id, request, outcome }
    }

    /// Writes a question to the client, and remembers that its answer is due. `question` is one as
    /// [`input_required`](crate::reply::input_required) takes it; `during` is the client's request that it
    /// helps to serve, on whose stream it is sent (LEG-58). Returns its id, which counts up from 1, and the length.
    ///
    /// A form goes out without `mode`, `$schema` and defaults but for a flag to clients of 2025-06-18, who do not know them; a
    /// URL with an `elicitationId`, which
    /// 2025-11-25 wants: that of the question, else the request's own id, which no other of this session has. The last
    /// [`MAX_ELICITATION_IDS`] that the host gave are remembered, by their digests.
    ///
    /// # Errors
    ///
    /// - [`Rejected`] with [`Reason::ClientCannot`]: the client did not declare what the question needs, or its revision does
    ///   not know it: forms came with 2025-06-18; URLs, titled options, several choices, and sampling with tools or with
    ///   several blocks with 2025-11-25; audio with 2025-03-26 (LEG-12, LEG-40, LEG-41, LEG-44). It refuses the request `during`; a host may do without the answer instead.
    /// - [`Rejected`] with [`Reason::NotInitialized`]: the client has not said yet that it is ready (LEG-05), and yet sent a
    ///   request that needs its help.
    /// - [`Misuse::TooManyRequests`] when `N` are waiting, [`Misuse::NotARequest`] where `during` is none.
    /// - [`Misuse::ElicitationId`] for one that is remembered, or digits alone, which are the session's own.
    /// - Those of a question; [`TooSmall`](crate::json::TooSmall). Nothing is remembered then.
    pub fn request<'a>(
        &mut self,
        during: &Admitted<'a>,
        question: &[u8],
        scratch: &mut [u64],
        out: &mut [u8],
    ) -> Result<(u64, usize), ReplyError<'a>> {
        if during.kind() != Kind::Request {
            return Err(Misuse::NotARequest.into());
        }
        let (State::Ready, Some(version)) = (self.state, self.version) else {
            return Err(Rejected::after_admission(Some(during), Reason::NotInitialized).into());
        };
        if self.waiting.is_full() {
            return Err(Misuse::TooManyRequests.into());
        }
        let question = Embedded::read(question, scratch)?;
        if version < question.since() || !question.needs().all(|need| self.is_able(need, version)) {
            return Err(Rejected::after_admission(Some(during), Reason::ClientCannot).into());
        }
        let elicitation = question.elicitation_id().map(|id| self.new_elicitation(id)).transpose()?;
        let id = self.next_id;
        let sent = self.send(question.request(), out, |w| question.write_legacy(w, version, id))?;
        if let Some(digest) = elicitation {
            let oldest = self.elicited % MAX_ELICITATION_IDS;
            match self.elicitations.get_mut(oldest) {
                Some(place) => *place = digest,
                None => _ = self.elicitations.push(digest), // not full yet
            }
            self.elicited = self.elicited.wrapping_add(1);
        }
        Ok(sent)
    }

    /// The digest of an `elicitationId` that is like no other of this session (LEG-41).
    fn new_elicitation(&self, id: Text<'_>) -> Result<u64, Misuse> {
        let mut hash = Sha256::new();
        for_each_piece(id, |piece| hash.put(piece));
        let [a, b, c, d, e, f, g, h, ..] = hash.finish();
        let digest = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
        let number = id.decoded_len() > 0 && id.bytes().all(|byte| byte.is_ascii_digit());
        if number || self.elicitations.contains(&digest) { Err(Misuse::ElicitationId) } else { Ok(digest) }
    }

    /// Writes a `ping`, which may be sent at any time, and remembers that its answer is due (LEG-05, LEG-11). Returns its id
    /// and the length.
    ///
    /// # Errors
    ///
    /// [`Misuse::TooManyRequests`] when `N` are waiting; [`TooSmall`](crate::json::TooSmall). Nothing is remembered then.
    pub fn ping(&mut self, out: &mut [u8]) -> Result<(u64, usize), ReplyError<'static>> {
        self.send(ServerRequest::Ping, out, |w| w.raw(b"\"method\":\"ping\""))
    }

    /// Writes a request around what `write` writes, and remembers it.
    fn send<'a>(
        &mut self,
        request: ServerRequest,
        out: &mut [u8],
        write: impl FnOnce(&mut Writer<'_>),
    ) -> Result<(u64, usize), ReplyError<'a>> {
        let id = self.next_id;
        let mut w = Writer::new(out);
        w.raw(b"{\"jsonrpc\":\"2.0\",\"id\":");
        w.natural(id);
        w.raw(b",");
        write(&mut w);
        w.raw(b"}");
        let len = w.finish()?;
        if self.waiting.push((id, request)).is_err() {
            return Err(Misuse::TooManyRequests.into());
        }
        self.next_id = self.next_id.saturating_add(1);
        Ok((id, len))
    }

    /// Writes `notifications/cancelled` for a request of the server's, and forgets it: a late answer is ignored. Returns the
    /// length, 0 where no such request is waiting.
    ///
    /// # Errors
    ///
    /// [`TooSmall`](crate::json::TooSmall); the request is then still waiting.
    pub fn cancel(&mut self, id: u64, reason: Option<&str>, out: &mut [u8]) -> Result<usize, ReplyError<'static>> {
        let Some(at) = self.waiting.iter().position(|(waiting, _)| *waiting == id) else { return Ok(0) };
        let mut w = Writer::new(out);
        w.raw(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":");
        w.natural(id);
        if let Some(reason) = reason {
            w.raw(b",\"reason\":");
            w.string(reason);
        }
        w.raw(b"}}");
        let len = w.finish()?;
        self.waiting.swap_remove(at);
        Ok(len)
    }

    /// Whether the client declared it, and its revision has it (LEG-12, LEG-40, LEG-41).
    fn is_able(&self, need: Need, version: Version) -> bool {
        let since = match need {
            Need::Sampling | Need::SamplingContext | Need::Roots => Version::V2024_11_05,
            Need::ElicitationForm => Version::V2025_06_18,
            Need::ElicitationUrl | Need::SamplingTools => Version::V2025_11_25,
        };
        // What context to include is a request that an old client may turn down; it had no capability of its own.
        let need = if need == Need::SamplingContext && version < Version::V2025_11_25 { Need::Sampling } else { need };
        let bit = (0u8..).zip(NEEDS).find(|(_, known)| *known == need).map_or(0, |(bit, _)| bit);
        version >= since && self.can >> bit & 1 == 1
    }
}

/// A number of nothing but digits, as this session writes its ids.
fn natural(digits: &[u8]) -> Option<u64> {
    core::str::from_utf8(digits).ok()?.parse().ok()
}
