//! What 2026-07-28 deprecates (its page "Deprecated Features"): the one table, and which of it a message uses.

use crate::client::Received;
use crate::json::{Raw, ValueKind};
use crate::wire::{Admitted, Era, Version};

/// A feature that is still part of the specification, and is to be removed from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deprecation {
    /// A stable name.
    pub name: &'static str,
    /// What it is.
    pub feature: &'static str,
    /// The first revision that deprecates it.
    pub since: Version,
    /// When it may be removed at the earliest.
    pub earliest_removal: &'static str,
    /// What to use instead.
    pub instead: &'static str,
}

const A_YEAR_ON: &str = "the first revision on or after 2027-07-28";

const ROOTS: Deprecation = Deprecation {
    name: "roots",
    feature: "Roots",
    since: Version::V2026_07_28,
    earliest_removal: A_YEAR_ON,
    instead: "parameters of tools, URIs of resources, or the server's configuration",
};
const SAMPLING: Deprecation = Deprecation {
    name: "sampling",
    feature: "Sampling",
    since: Version::V2026_07_28,
    earliest_removal: A_YEAR_ON,
    instead: "the interface of a model's provider",
};
const LOGGING: Deprecation = Deprecation {
    name: "logging",
    feature: "Logging",
    since: Version::V2026_07_28,
    earliest_removal: A_YEAR_ON,
    instead: "standard error on stdio; OpenTelemetry",
};
const INCLUDE_CONTEXT: Deprecation = Deprecation {
    name: "include-context",
    feature: "includeContext \"thisServer\" and \"allServers\" of Sampling",
    since: Version::V2025_11_25,
    earliest_removal: "with Sampling",
    instead: "\"none\", or no includeContext",
};
const CLIENT_REGISTRATION: Deprecation = Deprecation {
    name: "dynamic-client-registration",
    feature: "Dynamic Client Registration",
    since: Version::V2026_07_28,
    earliest_removal: A_YEAR_ON,
    instead: "Client ID Metadata Documents",
};
const HTTP_SSE: Deprecation = Deprecation {
    name: "http-sse",
    feature: "The transport HTTP+SSE of 2024-11-05",
    since: Version::V2025_03_26,
    earliest_removal: "three months after SEP-2596 is final",
    instead: "Streamable HTTP",
};

/// Every deprecated feature.
pub const DEPRECATED: &[Deprecation] = &[ROOTS, SAMPLING, LOGGING, INCLUDE_CONTEXT, CLIENT_REGISTRATION, HTTP_SSE];

/// Those of the table that are used, in its order.
fn used(uses: [bool; 4]) -> impl Iterator<Item = &'static Deprecation> {
    DEPRECATED.iter().zip(uses).filter(|(_, used)| *used).map(|(feature, _)| feature)
}

impl Admitted<'_> {
    /// The deprecated features that a modern request makes use of: capabilities that it declares, a log level that it sets. A
    /// message of an earlier revision uses none: there they are not deprecated.
    pub fn deprecated(&self) -> impl Iterator<Item = &'static Deprecation> {
        let modern = self.era() == Era::Modern;
        let declares = |name: &str| modern && self.capabilities().is_some_and(|all| all.get(name).is_some());
        used([declares("roots"), declares("sampling"), modern && self.log_level().is_some(), false])
    }
}

impl Received<'_> {
    /// The deprecated features that a result asks for: roots, sampling, and a context that sampling is to include.
    pub fn deprecated(&self) -> impl Iterator<Item = &'static Deprecation> {
        let asks = |is: &dyn Fn(Raw<'_>) -> bool| {
            self.input_requests().is_some_and(|all| all.members().any(|(_, request)| is(request)))
        };
        let method = |request: Raw<'_>, name: &str| {
            request.get("method").and_then(|method| method.text()).is_some_and(|method| method == *name)
        };
        let context = |request: Raw<'_>| {
            let named = request.get("params").and_then(|params| params.get("includeContext"));
            named.is_some_and(|named| {
                named.kind() == ValueKind::String && named.text().is_some_and(|text| text != *"none")
            })
        };
        let sampling = |request: Raw<'_>| method(request, "sampling/createMessage");
        used([
            asks(&|request| method(request, "roots/list")),
            asks(&sampling),
            false,
            asks(&|request| sampling(request) && context(request)),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::{DEPRECATED, INCLUDE_CONTEXT, LOGGING, ROOTS, SAMPLING};

    #[test]
    fn log_09_the_table_begins_with_what_messages_can_use() {
        assert_eq!(DEPRECATED.get(..4), Some(&[ROOTS, SAMPLING, LOGGING, INCLUDE_CONTEXT][..]));
        assert!(DEPRECATED.iter().all(|one| DEPRECATED.iter().filter(|other| other.name == one.name).count() == 1));
    }
}
