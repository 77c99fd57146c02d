//! What notifications say (basic/patterns/cancellation, basic/patterns/progress, server/utilities/logging), and where a
//! list goes on (server/utilities/pagination).
//!
//! Nothing is answered to a notification, so one that is malformed is not refused: it says nothing, and is dropped (CANC-10).

use crate::json::{Raw, Text, ValueKind};
use crate::wire::{Admitted, Id, Kind};

/// The eight levels of RFC 5424 (META-06, LOG-04).
const LOG_LEVELS: &[&str] = &["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

pub(crate) fn is_log_level(level: Text<'_>) -> bool {
    LOG_LEVELS.iter().any(|known| level == **known)
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
            level: params.get("level")?.text().filter(|level| is_log_level(*level))?,
            logger: optional_text(params, "logger")?,
            data: params.get("data")?,
        })
    }
}
