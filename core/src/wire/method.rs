//! The one table of request methods.

use crate::json::Text;

/// Where a method's `Mcp-Name` comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameSource {
    /// The method has none.
    None,
    /// `params.name`.
    Name,
    /// `params.uri`.
    Uri,
}

/// What the specification fixes about a request method.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Method {
    /// The name on the wire.
    pub name: &'static str,
    /// What names the thing that the method acts on.
    pub name_source: NameSource,
    /// Whether it may be answered with `input_required` (MRTR-02).
    pub input_required: bool,
    /// Whether its result carries `ttlMs` and `cacheScope` (CACHE-01).
    pub cacheable: bool,
    /// Whether it lists something page by page: `params.cursor` says where to go on (PAGE-05).
    pub paginated: bool,
    /// Whether 2026-07-28 has it.
    pub modern: bool,
}

const fn method(name: &'static str, name_source: NameSource, input_required: bool, cacheable: bool) -> Method {
    Method { name, name_source, input_required, cacheable, paginated: false, modern: true }
}

const fn list(name: &'static str) -> Method {
    Method { paginated: true, ..method(name, NameSource::None, false, true) }
}

const fn removed(name: &'static str) -> Method {
    Method { modern: false, ..method(name, NameSource::None, false, false) }
}

impl Method {
    /// Every request method of the core specification, those included that 2026-07-28 removed.
    pub const ALL: &'static [Method] = &[
        method("tools/call", NameSource::Name, true, false),
        list("tools/list"),
        method("server/discover", NameSource::None, false, true),
        method("resources/read", NameSource::Uri, true, true),
        list("resources/list"),
        list("resources/templates/list"),
        method("prompts/get", NameSource::Name, true, false),
        list("prompts/list"),
        method("completion/complete", NameSource::None, false, false),
        method("subscriptions/listen", NameSource::None, false, false),
        removed("initialize"),
        removed("ping"),
        removed("logging/setLevel"),
        removed("resources/subscribe"),
        removed("resources/unsubscribe"),
        removed("tasks/result"),
        removed("tasks/list"),
    ];

    /// The table's entry for a method; `None` for one that the core specification does not have, such as an
    /// extension's.
    pub fn find(name: Text<'_>) -> Option<&'static Method> {
        // An escape only makes a name longer; most entries differ in length already.
        let len = name.raw().len();
        let alike = |method: &&Method| len == method.name.len() || name.is_escaped();
        Method::ALL.iter().filter(alike).find(|method| name == *method.name)
    }
}

/// What a server asks its client: in a session's own requests (LEG-12), or embedded in a result (MRTR-06), which `ping`
/// never is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerRequest {
    /// `ping`
    Ping,
    /// `roots/list`
    ListRoots,
    /// `sampling/createMessage`
    Sample,
    /// `elicitation/create`
    Elicit,
}

impl ServerRequest {
    /// The method on the wire.
    pub const fn method(self) -> &'static str {
        match self {
            ServerRequest::Ping => "ping",
            ServerRequest::ListRoots => "roots/list",
            ServerRequest::Sample => "sampling/createMessage",
            ServerRequest::Elicit => "elicitation/create",
        }
    }
}
