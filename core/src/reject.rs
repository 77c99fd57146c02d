//! The refusal of a message, and the JSON-RPC body that says so.

use crate::capability;
use crate::json::{Raw, Text, TooSmall, Writer};
use crate::reason::Reason;
use crate::wire::{Admitted, Era, Id, Kind, VersionSet};

/// Why a message was refused, and all that its answer needs.
#[derive(Clone, Copy, Debug)]
pub struct Rejected<'a> {
    reason: Reason,
    id: Option<Id<'a>>,
    method: Option<Text<'a>>,
    key_id: Option<[u8; 4]>,
    offset: Option<u32>,
    data: Data<'a>,
    answer: Answer,
    era: Era,
}

/// What else is known: the `data` member, where the specification defines one, and what is for the host alone.
#[derive(Clone, Copy, Debug)]
enum Data<'a> {
    None,
    /// The member of the message that is at fault; not sent.
    Member(Text<'a>),
    /// The versions served, and the one that was asked for.
    Versions {
        supported: VersionSet,
        requested: Text<'a>,
    },
    /// The versions served, where none was asked for.
    Supported(VersionSet),
    /// What is required and was not declared.
    Missing {
        required: Raw<'a>,
        declared: Option<Raw<'a>>,
    },
}

/// How the refusal is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// With an error; an id that could not be read is left out (ENV-13).
    Error,
    /// With an error; an id that could not be read is `null`, which legacy peers up to 2025-06-18 want.
    ErrorNullId,
    /// Not at all: nothing is sent in reply to a notification (ENV-17), nor on stdio to a response.
    Silence,
}

impl<'a> Rejected<'a> {
    pub(crate) const fn new(reason: Reason) -> Self {
        Rejected {
            reason,
            id: None,
            method: None,
            key_id: None,
            offset: None,
            data: Data::None,
            answer: Answer::Error,
            era: Era::Modern,
        }
    }

    pub(crate) const fn with_id(mut self, id: Option<Id<'a>>) -> Self {
        self.id = id;
        self
    }

    pub(crate) const fn with_method(mut self, method: Option<Text<'a>>) -> Self {
        self.method = method;
        self
    }

    pub(crate) const fn at(mut self, offset: usize) -> Self {
        self.offset = Some(offset as u32);
        self
    }

    /// The same at a later place: the message begins `by` bytes into the body.
    pub(crate) const fn moved(mut self, by: usize) -> Self {
        if let Some(offset) = self.offset {
            self.offset = Some(offset.saturating_add(by as u32));
        }
        self
    }

    pub(crate) const fn answered(mut self, answer: Answer) -> Self {
        self.answer = answer;
        self
    }

    pub(crate) const fn in_era(mut self, era: Era) -> Self {
        self.era = era;
        self
    }

    /// ERR-08: `requested` is a string whatever was asked for; empty where nothing readable was.
    pub(crate) fn versions(mut self, supported: VersionSet, requested: Option<Text<'a>>) -> Self {
        self.data = Data::Versions { supported, requested: requested.unwrap_or(Text::plain("")) };
        self
    }

    pub(crate) const fn supporting(mut self, supported: VersionSet) -> Self {
        self.data = Data::Supported(supported);
        self
    }

    /// The refusal of a request that was admitted before its fault was found. The reason is for the host's log;
    /// all causes for which a `requestState` is refused look the same to the peer.
    ///
    /// `request` is `None` where the host has no message at hand; the answer then has no id.
    pub fn after_admission(request: Option<&Admitted<'a>>, reason: Reason) -> Self {
        let rejected = Rejected::new(reason);
        match request {
            Some(request) => {
                let answer = if request.kind() == Kind::Request { Answer::Error } else { Answer::Silence };
                rejected.with_id(request.id()).with_method(request.method()).in_era(request.era()).answered(answer)
            }
            None => rejected,
        }
    }

    /// The refusal of a whole batch that was admitted before its fault was found, such as that its session is not alive. Its
    /// id is null, which the one revision with batches wants (LEG-10).
    pub const fn of_batch(reason: Reason) -> Self {
        Rejected::new(reason).answered(Answer::ErrorNullId).in_era(Era::Legacy)
    }

    /// The refusal of a request that lacks capabilities (CAP-03). `required` is shaped like
    /// ClientCapabilities; those of its members that the request does not satisfy are told to the peer.
    pub fn missing_capability(request: &Admitted<'a>, required: Raw<'a>) -> Self {
        let mut rejected = Rejected::after_admission(Some(request), Reason::MissingCapability);
        rejected.data = Data::Missing { required, declared: request.capabilities() };
        rejected
    }

    /// Notes which key a refused token names, for the host's log.
    #[must_use]
    pub const fn with_key_id(mut self, key_id: Option<[u8; 4]>) -> Self {
        self.key_id = key_id;
        self
    }

    /// Notes which member of the message is at fault, for the host's log.
    #[must_use]
    pub const fn with_member(mut self, member: Option<Text<'a>>) -> Self {
        if let Some(member) = member {
            self.data = Data::Member(member);
        }
        self
    }

    /// Why.
    pub const fn reason(&self) -> Reason {
        self.reason
    }

    /// The JSON-RPC error code.
    pub const fn code(&self) -> i32 {
        self.reason.code()
    }

    /// The HTTP status. A legacy request that was understood as such is answered in-band, with 200: to its
    /// client 404 would mean that the session is gone. A notification or response gets no answer but the status, which
    /// has to say by itself that it was refused (2025-11-25, Transports, Sending Messages to the Server).
    pub const fn status(&self) -> u16 {
        let in_band = matches!(self.reason.code(), -32601 | -32602) || matches!(self.reason, Reason::ClientCannot);
        match (self.era, self.answer) {
            (Era::Legacy, Answer::Silence) if in_band => 400,
            (Era::Legacy, _) if in_band => 200,
            _ => self.reason.status(),
        }
    }

    /// The sentence that the answer carries.
    pub const fn message(&self) -> &'static str {
        self.reason.message()
    }

    /// The id of the refused request, where it could be read.
    pub const fn id(&self) -> Option<Id<'a>> {
        self.id
    }

    /// The method of the refused message, where it could be read. For logs: nothing has checked it.
    pub const fn method(&self) -> Option<Text<'a>> {
        self.method
    }

    /// The id of the key that a refused token names, where it names one. For logs: nothing has proven it.
    pub const fn key_id(&self) -> Option<[u8; 4]> {
        self.key_id
    }

    /// The member that is at fault, where one is: of an elicitation's content. The answer does not quote it.
    pub const fn member(&self) -> Option<Text<'a>> {
        match self.data {
            Data::Member(member) => Some(member),
            _ => None,
        }
    }

    /// Where parsing stopped, in bytes from the start of the body; only where that is what failed.
    pub const fn offset(&self) -> Option<usize> {
        match self.offset {
            Some(offset) => Some(offset as usize),
            None => None,
        }
    }

    /// The value of the `Allow` header that a status of 405 needs (RFC 9110, 15.5.6).
    pub const fn allow(&self) -> Option<&'static str> {
        match self.reason {
            Reason::HttpMethod => Some("POST"),
            Reason::StreamMethod => Some("GET, POST, DELETE"),
            _ => None,
        }
    }

    /// Writes the JSON-RPC body of the answer; nothing when nothing is to be sent.
    ///
    /// # Errors
    ///
    /// [`TooSmall`] with the size that `out` needs.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, TooSmall> {
        let mut writer = Writer::new(out);
        if self.answer != Answer::Silence {
            writer.raw(b"{\"jsonrpc\":\"2.0\"");
            if let Some(id) = self.id {
                writer.raw(b",\"id\":");
                writer.raw(id.raw());
            } else if self.answer == Answer::ErrorNullId {
                writer.raw(b",\"id\":null");
            }
            writer.raw(b",\"error\":{\"code\":");
            writer.integer(i64::from(self.code()));
            writer.raw(b",\"message\":");
            writer.string(self.message());
            if self.has_data() {
                writer.raw(b",\"data\":");
                self.write_data(&mut writer);
            }
            writer.raw(b"}}");
        }
        writer.finish()
    }

    /// Writes the `data` member alone; nothing when there is none.
    ///
    /// # Errors
    ///
    /// [`TooSmall`] with the size that `out` needs.
    pub fn emit_data(&self, out: &mut [u8]) -> Result<usize, TooSmall> {
        let mut writer = Writer::new(out);
        self.write_data(&mut writer);
        writer.finish()
    }

    const fn has_data(&self) -> bool {
        self.reason.is_state() || !matches!(self.data, Data::None | Data::Member(_))
    }

    fn write_data(&self, writer: &mut Writer<'_>) {
        if self.reason.is_state() {
            writer.raw(b"{\"reason\":\"invalid_request_state\"}");
            return;
        }
        match self.data {
            Data::None | Data::Member(_) => {}
            Data::Versions { supported, requested } => {
                write_supported(writer, supported);
                writer.raw(b",\"requested\":\"");
                writer.raw(requested.raw()); // from the body, or one of our own names: no escape is missing
                writer.raw(b"\"}");
            }
            Data::Supported(supported) => {
                write_supported(writer, supported);
                writer.raw(b"}");
            }
            Data::Missing { required, declared } => {
                writer.raw(b"{\"requiredCapabilities\":{");
                let mut separator: &[u8] = b"\"";
                for (name, value) in
                    required.members().filter(|(name, value)| !capability::satisfied(declared, *name, *value))
                {
                    writer.raw(separator);
                    writer.raw(name.raw());
                    writer.raw(b"\":");
                    writer.minified(value);
                    separator = b",\"";
                }
                writer.raw(b"}}");
            }
        }
    }
}

/// Opens the data object with the versions served.
fn write_supported(writer: &mut Writer<'_>, supported: VersionSet) {
    writer.raw(b"{\"supported\":[");
    let mut separator: &[u8] = b"\"";
    for version in supported.iter() {
        writer.raw(separator);
        writer.raw(version.as_str().as_bytes());
        writer.raw(b"\"");
        separator = b",\"";
    }
    writer.raw(b"]");
}
