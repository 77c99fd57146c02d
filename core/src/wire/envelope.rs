//! The view of an admitted message, and the rules of its envelope (basic/index of the specification).

use crate::json::scan::{Field, Fields};
use crate::json::{Raw, Text, ValueKind};
use crate::limits::MAX_ID_BYTES;
use crate::reason::Reason;
use crate::wire::{Era, Method, NameSource, TraceContext, Version};

/// What kind of message it is. Decided by which members are there, before any of them is looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `method` and `id`.
    Request,
    /// `method` and no `id`.
    Notification,
    /// `id` and `result`.
    Response,
    /// `error`.
    Error,
}

impl Kind {
    /// `"request"`, `"notification"`, `"response"` or `"error"`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::Request => "request",
            Kind::Notification => "notification",
            Kind::Response => "response",
            Kind::Error => "error",
        }
    }
}

/// The id of a request: a string or an integer, kept as it was written so that the answer carries it back
/// byte for byte (ENV-06, ENV-07).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id<'a>(Raw<'a>);

impl<'a> Id<'a> {
    /// Checks the type and length of an id: a string, or an integer without fraction or exponent, of at most
    /// [`MAX_ID_BYTES`].
    ///
    /// # Errors
    ///
    /// [`Reason::InvalidId`], [`Reason::LoneSurrogate`].
    pub fn parse(raw: Raw<'a>) -> Result<Self, Reason> {
        match raw.kind() {
            ValueKind::String => {
                let text = raw.text().ok_or(Reason::InvalidId)?;
                if text.raw().len() > MAX_ID_BYTES {
                    return Err(Reason::InvalidId);
                }
                if text.has_lone_surrogate() { Err(Reason::LoneSurrogate) } else { Ok(Id(raw)) }
            }
            ValueKind::Number if is_integer(raw) && raw.as_bytes().len() <= MAX_ID_BYTES => Ok(Id(raw)),
            _ => Err(Reason::InvalidId),
        }
    }

    /// The id as it came, the quotes of a string included.
    pub const fn raw(&self) -> &'a [u8] {
        self.0.as_bytes()
    }

    /// Whether two ids are the same: strings by their text, however it is spelt; integers as they are written. A string is
    /// never an integer.
    pub fn is_same(&self, other: &Id<'_>) -> bool {
        match (self.text(), other.text()) {
            (Some(one), Some(other)) => one == other,
            (None, None) => self.raw() == other.raw(),
            _ => false,
        }
    }

    /// The text of a string id; `None` for an integer.
    pub fn text(&self) -> Option<Text<'a>> {
        self.0.text()
    }
}

/// Whether a checked number is written without fraction and exponent.
pub(crate) fn is_integer(raw: Raw<'_>) -> bool {
    raw.kind() == ValueKind::Number && !raw.as_bytes().iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
}

/// Where the members of an admitted message are: offsets without a borrow, so that a host can keep them
/// beside the body and make the view anew.
#[derive(Clone, Copy, Debug)]
pub struct Spans {
    pub(crate) fields: Fields,
    pub(crate) body_len: u32,
    pub(crate) kind: Kind,
    pub(crate) era: Era,
    pub(crate) version: Option<Version>,
}

impl Spans {
    /// The view over the body that was admitted. `None` when the body has another length; with another body of
    /// the same length the view shows whatever stands there, so keep the two together.
    pub fn view<'a>(&self, body: &'a [u8]) -> Option<Admitted<'a>> {
        if body.len() == self.body_len as usize { Some(Admitted { body, spans: *self }) } else { None }
    }
}

/// A message that passed the ladder. Its accessors cannot fail, and borrow from the body.
#[derive(Clone, Copy, Debug)]
pub struct Admitted<'a> {
    pub(crate) body: &'a [u8],
    pub(crate) spans: Spans,
}

impl<'a> Admitted<'a> {
    /// The offsets behind this view.
    pub const fn spans(&self) -> Spans {
        self.spans
    }

    /// The body that was admitted.
    pub const fn body(&self) -> &'a [u8] {
        self.body
    }

    /// What kind of message it is.
    pub const fn kind(&self) -> Kind {
        self.spans.kind
    }

    /// Which era's rules it was admitted by.
    pub const fn era(&self) -> Era {
        self.spans.era
    }

    /// The revision it is spoken in. `None` where nothing says so: a legacy message on stdio whose session the
    /// host did not name.
    pub const fn version(&self) -> Option<Version> {
        self.spans.version
    }

    fn field(&self, field: Field) -> Option<Raw<'a>> {
        self.spans.fields.get(field, self.body)
    }

    /// A member that counts only as an object. In a request nothing else has passed the ladder but `null`, which
    /// stands for its absence; of a notification's `_meta` nothing has been checked.
    fn object(&self, field: Field) -> Option<Raw<'a>> {
        self.field(field).filter(|raw| raw.kind() == ValueKind::Object)
    }

    /// The id of a request or response; `None` on a notification, and on an error that names none.
    pub fn id(&self) -> Option<Id<'a>> {
        Id::parse(self.field(Field::Id)?).ok()
    }

    /// The method of a request or notification.
    pub fn method(&self) -> Option<Text<'a>> {
        self.spans.fields.text(Field::Method, self.body)
    }

    /// The entry of the method table; `None` for methods that the core specification does not have.
    pub fn known_method(&self) -> Option<&'static Method> {
        Method::find(self.method()?)
    }

    /// The name of the tool or prompt, or the URI of the resource; `None` for other methods.
    pub fn name(&self) -> Option<Text<'a>> {
        let field = match self.known_method()?.name_source {
            NameSource::None => return None,
            NameSource::Name => Field::Name,
            NameSource::Uri => Field::Uri,
        };
        self.spans.fields.text(field, self.body)
    }

    /// What a token is bound to beside the method: the URI of a resource that is read, else the name, whatever the
    /// method; and the arguments, whatever they are, but for `null`. Wider than [`name`](Self::name) and
    /// [`arguments`](Self::arguments), so that the requests of extensions are bound as well.
    pub(crate) fn bound_parts(&self) -> (Option<Text<'a>>, Option<Raw<'a>>) {
        let read = self.method().is_some_and(|method| method == "resources/read");
        let target = self.spans.fields.text(if read { Field::Uri } else { Field::Name }, self.body);
        (target, self.field(Field::Arguments).filter(|raw| raw.kind() != ValueKind::Null))
    }

    /// `params` as it came.
    pub fn params(&self) -> Option<Raw<'a>> {
        self.field(Field::Params)
    }

    /// `params.arguments` as it came.
    pub fn arguments(&self) -> Option<Raw<'a>> {
        self.object(Field::Arguments)
    }

    /// `params._meta` as it came.
    pub fn meta(&self) -> Option<Raw<'a>> {
        self.field(Field::Meta)
    }

    /// The client's identity: an unverified claim that no decision may rest on (META-18).
    pub fn client_info(&self) -> Option<Raw<'a>> {
        self.object(Field::ClientInfo)
    }

    /// The capabilities that the client declared on this request, and only on it (CAP-02).
    pub fn capabilities(&self) -> Option<Raw<'a>> {
        self.object(Field::Capabilities)
    }

    /// The least severe log level that the client wants to see; `None`: no log messages.
    pub fn log_level(&self) -> Option<Text<'a>> {
        self.spans.fields.text(Field::LogLevel, self.body)
    }

    /// The token that asks for progress: a string or an integer, as it came.
    pub fn progress_token(&self) -> Option<Raw<'a>> {
        self.field(Field::ProgressToken).filter(|token| Id::parse(*token).is_ok())
    }

    /// The subscription that a notification belongs to: the id of its `subscriptions/listen` request, as it came.
    pub fn subscription_id(&self) -> Option<Id<'a>> {
        Id::parse(self.field(Field::SubscriptionId)?).ok()
    }

    /// The trace context: what follows the W3C formats; anything else is dropped (META-16).
    pub fn trace_context(&self) -> TraceContext<'a> {
        let text = |field| self.spans.fields.text(field, self.body);
        TraceContext::read(text(Field::Traceparent), text(Field::Tracestate), text(Field::Baggage))
    }

    /// The `requestState` that came back; legacy messages have none. Nothing in it is true until a sealer has
    /// opened it.
    pub fn request_state(&self) -> Option<Text<'a>> {
        if self.spans.era == Era::Legacy { None } else { self.spans.fields.text(Field::RequestState, self.body) }
    }

    /// The answers to the questions of the round before, unauthenticated as they are; legacy messages have none.
    pub fn input_responses(&self) -> Option<Raw<'a>> {
        if self.spans.era == Era::Legacy { None } else { self.object(Field::InputResponses) }
    }

    /// The `result` of a response.
    pub fn result(&self) -> Option<Raw<'a>> {
        self.field(Field::Result)
    }

    /// The `error` of an error response.
    pub fn error(&self) -> Option<Raw<'a>> {
        self.field(Field::Error)
    }
}
