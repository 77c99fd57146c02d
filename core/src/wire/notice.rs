//! What notifications say (basic/patterns/cancellation, basic/patterns/progress, server/utilities/logging), and where a
//! list goes on (server/utilities/pagination).
//!
//! Nothing is answered to a notification, so one that is malformed is not refused: it says nothing, and is dropped (CANC-10).

use crate::json::{Raw, Text, ValueKind};
use crate::wire::{Admitted, Era, Id, Kind};

/// How severe a log message is: the eight levels of RFC 5424, rising (META-06, LOG-04).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// `debug`
    Debug,
    /// `info`
    Info,
    /// `notice`
    Notice,
    /// `warning`
    Warning,
    /// `error`
    Error,
    /// `critical`
    Critical,
    /// `alert`
    Alert,
    /// `emergency`
    Emergency,
}

impl LogLevel {
    /// Every level, the least severe first.
    pub const ALL: [LogLevel; 8] = [
        LogLevel::Debug,
        LogLevel::Info,
        LogLevel::Notice,
        LogLevel::Warning,
        LogLevel::Error,
        LogLevel::Critical,
        LogLevel::Alert,
        LogLevel::Emergency,
    ];

    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Notice => "notice",
            LogLevel::Warning => "warning",
            LogLevel::Error => "error",
            LogLevel::Critical => "critical",
            LogLevel::Alert => "alert",
            LogLevel::Emergency => "emergency",
        }
    }

    /// The level with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::of(Text::plain(name))
    }

    pub(crate) fn of(name: Text<'_>) -> Option<Self> {
        LogLevel::ALL.into_iter().find(|level| name == *level.as_str())
    }
}

/// How far a request has come: a `notifications/progress` (PROG-02).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The token that the request carried.
    pub token: Id<'a>,
    /// How far it has come: a number as it was written.
    pub progress: Raw<'a>,
    /// How far there is to go, as it was written.
    pub total: Option<Raw<'a>>,
    /// What to tell a person.
    pub message: Option<Text<'a>>,
}

/// A line of the server's log: a `notifications/message` (LOG-05).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogMessage<'a> {
    /// One of the eight levels.
    pub level: Text<'a>,
    /// What part of the server it is from.
    pub logger: Option<Text<'a>>,
    /// Any JSON value, `null` too.
    pub data: Raw<'a>,
}

/// A member that may be absent or null; `None` where it is of another kind.
fn optional<'a>(params: Raw<'a>, name: &str, kind: ValueKind) -> Option<Option<Raw<'a>>> {
    match params.get(name).filter(|value| value.kind() != ValueKind::Null) {
        Some(value) if value.kind() != kind => None,
        value => Some(value),
    }
}

fn optional_text<'a>(params: Raw<'a>, name: &str) -> Option<Option<Text<'a>>> {
    Some(optional(params, name, ValueKind::String)?.and_then(|value| value.text()))
}

impl<'a> Admitted<'a> {
    /// The cursor of a list method: where to go on. `None` asks for the first page; the empty string is a cursor like any
    /// other (PAGE-02). Other methods have none.
    pub fn cursor(&self) -> Option<Text<'a>> {
        let paginated = self.kind() == Kind::Request && self.known_method()?.paginated;
        if paginated { self.params()?.get("cursor")?.text() } else { None }
    }

    /// Whether a log message of this level may be sent while the request is served. A modern request says from which level on,
    /// and one that says nothing wants none (LOG-01); in the revisions before, that is the session's business.
    pub fn wants_log(&self, level: LogLevel) -> bool {
        let least = self.log_level().and_then(LogLevel::of);
        self.era() == Era::Legacy || least.is_some_and(|least| level >= least)
    }

    /// The params of the notification with this method.
    fn notified(&self, method: &str) -> Option<Raw<'a>> {
        if self.kind() == Kind::Notification && self.method()? == *method { self.params() } else { None }
    }

    /// The request that a `notifications/cancelled` gives up (CANC-03): 0 and the empty string are ids like any other. `None`
    /// on other messages, and when it names none: drop it then. Whatever else it holds does not matter.
    ///
    /// Over HTTP a client cancels by closing the stream. A posted cancellation names an id of whoever sent it, and another
    /// client may use the same one: acknowledge it and stop nothing (CANC-14).
    pub fn cancelled_id(&self) -> Option<Id<'a>> {
        Id::parse(self.notified("notifications/cancelled")?.get("requestId")?).ok()
    }

    /// What a `notifications/progress` says; `None` on other messages, and on one that is malformed.
    pub fn progress(&self) -> Option<Progress<'a>> {
        let params = self.notified("notifications/progress")?;
        Some(Progress {
            token: Id::parse(params.get("progressToken")?).ok()?,
            progress: params.get("progress").filter(|value| value.kind() == ValueKind::Number)?,
            total: optional(params, "total", ValueKind::Number)?,
            message: optional_text(params, "message")?,
        })
    }

    /// What a `notifications/message` says; `None` on other messages, and on one that is malformed.
    pub fn log_message(&self) -> Option<LogMessage<'a>> {
        let params = self.notified("notifications/message")?;
        Some(LogMessage {
            level: params.get("level")?.text().filter(|level| LogLevel::of(*level).is_some())?,
            logger: optional_text(params, "logger")?,
            data: params.get("data")?,
        })
    }
}
