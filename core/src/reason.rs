//! The one table of reasons. The Python stubs and the documentation are made from it.

/// Declares [`Reason`] and everything that is known about each of its values.
macro_rules! reasons {
    ($( $(#[$doc:meta])* $name:ident = $number:literal, $text:literal, $code:literal, $status:literal, $message:literal; )*) => {
        /// Why a message or a token was refused.
        ///
        /// Stable: a value keeps its number and its name for ever, and neither is used again. The reason is
        /// for logs and tests; what goes to the peer is [`code`](Reason::code) and
        /// [`message`](Reason::message).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        #[non_exhaustive]
        pub enum Reason { $( $(#[$doc])* $name = $number, )* }

        impl Reason {
            /// Every reason, in the order of the ladder.
            pub const ALL: &'static [Reason] = &[ $( Reason::$name, )* ];

            /// The stable name, in kebab-case.
            pub const fn name(self) -> &'static str { match self { $( Reason::$name => $text, )* } }

            /// The JSON-RPC error code of the answer.
            pub const fn code(self) -> i32 { match self { $( Reason::$name => $code, )* } }

            /// The HTTP status of the answer.
            pub const fn status(self) -> u16 { match self { $( Reason::$name => $status, )* } }

            /// The sentence that the answer carries. It never holds anything that the peer sent.
            pub const fn message(self) -> &'static str { match self { $( Reason::$name => $message, )* } }
        }
    };
}

reasons! {
    // Rung 1: HTTP.
    /// The HTTP method is not POST (RFC 9110, 15.5.6: answer with `Allow: POST`).
    HttpMethod = 100, "http-method", -32600, 405, "Method not allowed: use POST";
    /// `Origin` is present, and the policy does not allow it.
    OriginNotAllowed = 101, "origin-not-allowed", -32600, 403, "Origin not allowed";
    /// `Host` is absent, repeated, or not one of the policy's.
    HostNotAllowed = 102, "host-not-allowed", -32600, 403, "Host not allowed";
    /// The body is longer than the policy allows, or a line or event of a stream than its reader's limit.
    BodyTooLarge = 103, "body-too-large", -32600, 413, "Body too large";
    /// `Content-Type` is present and not `application/json`.
    ContentType = 104, "content-type", -32600, 415, "Unsupported media type: send application/json";
    /// `Accept` is present and leaves out `application/json` or `text/event-stream`.
    NotAcceptable = 105, "not-acceptable", -32600, 406, "Not acceptable: accept application/json and text/event-stream";
    /// The HTTP method is none of those that the legacy revisions have: GET, POST and DELETE.
    StreamMethod = 106, "stream-method", -32600, 405, "Method not allowed: use GET, POST or DELETE";

    // Rung 2: bytes and JSON.
    /// The bytes are not valid UTF-8.
    InvalidUtf8 = 200, "invalid-utf8", -32700, 400, "Parse error: not valid UTF-8";
    /// The body is not one JSON text (RFC 8259).
    InvalidJson = 201, "invalid-json", -32700, 400, "Parse error: not valid JSON";
    /// Arrays and objects are nested deeper than the policy allows.
    TooDeep = 202, "too-deep", -32600, 400, "Invalid request: nested too deeply";
    /// More members are open at once than the lent scratch can hold.
    TooManyMembers = 203, "too-many-members", -32600, 400, "Invalid request: too many members";
    /// A member name appears twice in one object.
    DuplicateMember = 204, "duplicate-member", -32600, 400, "Invalid request: duplicate member";

    /// The stream ended inside a line or an event. Found by the readers of streams; nothing is sent for it.
    Incomplete = 205, "incomplete", -32700, 400, "Parse error: the stream ended inside a message";

    // Rung 3: headers that must be single.
    /// A header that the protocol reads appears twice.
    DuplicateHeader = 300, "duplicate-header", -32020, 400, "Header mismatch: header sent twice";
    /// There are more `Mcp-Param-*` headers than are looked at.
    TooManyParamHeaders = 301, "too-many-param-headers", -32020, 400, "Header mismatch: too many Mcp-Param headers";

    // Rung 4: shape.
    /// The body is a JSON value that is neither an object nor an array.
    NotAnObject = 400, "not-an-object", -32600, 400, "Invalid request: not an object";
    /// `jsonrpc` is missing or not the string "2.0".
    JsonrpcVersion = 401, "jsonrpc-version", -32600, 400, "Invalid request: jsonrpc must be \"2.0\"";
    /// `method` is not a string.
    MethodNotString = 402, "method-not-string", -32600, 400, "Invalid request: method must be a string";
    /// `id` is neither a string nor an integer, or longer than the limit.
    InvalidId = 403, "invalid-id", -32600, 400, "Invalid request: id must be a string or an integer";
    /// `params` is not an object.
    ParamsNotObject = 404, "params-not-object", -32600, 400, "Invalid request: params must be an object";
    /// The members belong to more than one kind of message, or to none (`method`, `result` and `error` all missing).
    AmbiguousKind = 405, "ambiguous-kind", -32600, 400, "Invalid request: neither a request, a notification nor a response";
    /// A response without a proper `id`, `result` or `error`.
    InvalidResponse = 406, "invalid-response", -32600, 400, "Invalid request: malformed response";
    /// A string that the protocol reads holds an escaped surrogate without its pair.
    LoneSurrogate = 407, "lone-surrogate", -32602, 400, "Invalid params: unpaired surrogate";

    // Rung 5: era.
    /// The body is an array where batches do not exist.
    Batch = 500, "batch", -32600, 400, "Invalid request: batches are not supported";
    /// A response was sent to a server that asked nothing.
    UnexpectedResponse = 501, "unexpected-response", -32600, 400, "Invalid request: responses are not accepted";
    /// A legacy `MCP-Protocol-Version` header over a body that claims a modern version.
    EraMismatch = 502, "era-mismatch", -32020, 400, "Header mismatch: MCP-Protocol-Version differs from _meta";
    /// `MCP-Protocol-Version` is missing and this server needs it.
    VersionHeaderMissing = 503, "version-header-missing", -32020, 400, "Header mismatch: MCP-Protocol-Version is missing";
    /// `initialize` was sent to a server that does not serve its era.
    LegacyNotServed = 504, "legacy-not-served", -32022, 400, "Unsupported protocol version";

    /// The body is no array, where a batch was to be read.
    NotABatch = 505, "not-a-batch", -32600, 400, "Invalid request: not a batch";
    /// A batch without an entry.
    EmptyBatch = 506, "empty-batch", -32600, 400, "Invalid request: empty batch";
    /// A batch of more entries than [`MAX_BATCH`](crate::limits::MAX_BATCH).
    BatchTooLong = 507, "batch-too-long", -32600, 400, "Invalid request: too many entries in the batch";
    /// A batch of both requests and responses.
    MixedBatch = 508, "mixed-batch", -32600, 400, "Invalid request: requests and responses in one batch";
    /// `initialize` inside a batch.
    InitializeInBatch = 509, "initialize-in-batch", -32600, 400, "Invalid request: initialize in a batch";
    /// An id that another request of the same batch has.
    DuplicateId = 510, "duplicate-id", -32600, 400, "Invalid request: duplicate id in the batch";

    // Rung 6: the required `_meta`.
    /// `params` or `params._meta` is missing or not an object.
    MetaNotObject = 600, "meta-not-object", -32602, 400, "Invalid params: _meta must be an object";
    /// `_meta` lacks the protocol version.
    MetaVersionMissing = 601, "meta-version-missing", -32602, 400, "Invalid params: _meta lacks io.modelcontextprotocol/protocolVersion";
    /// The protocol version in `_meta` is not a string.
    MetaVersionNotString = 602, "meta-version-not-string", -32602, 400, "Invalid params: io.modelcontextprotocol/protocolVersion must be a string";
    /// `_meta` lacks the client's capabilities.
    MetaCapabilitiesMissing = 603, "meta-capabilities-missing", -32602, 400, "Invalid params: _meta lacks io.modelcontextprotocol/clientCapabilities";
    /// The client's capabilities are not an object.
    MetaCapabilitiesNotObject = 604, "meta-capabilities-not-object", -32602, 400, "Invalid params: io.modelcontextprotocol/clientCapabilities must be an object";

    // Rung 7: headers against the body.
    /// A mirrored header has bytes other than visible ASCII, space and tab, or a broken Base64 form.
    HeaderValue = 700, "header-value", -32020, 400, "Header mismatch: invalid header value";
    /// `MCP-Protocol-Version` differs from the version in `_meta`.
    VersionMismatch = 701, "version-mismatch", -32020, 400, "Header mismatch: MCP-Protocol-Version differs from _meta";
    /// `Mcp-Method` is missing.
    MethodHeaderMissing = 702, "method-header-missing", -32020, 400, "Header mismatch: Mcp-Method is missing";
    /// `Mcp-Method` differs from the method.
    MethodMismatch = 703, "method-mismatch", -32020, 400, "Header mismatch: Mcp-Method differs from the body";
    /// `Mcp-Name` is missing.
    NameHeaderMissing = 704, "name-header-missing", -32020, 400, "Header mismatch: Mcp-Name is missing";
    /// `Mcp-Name` differs from the name or URI.
    NameMismatch = 705, "name-mismatch", -32020, 400, "Header mismatch: Mcp-Name differs from the body";

    // Rung 8: version.
    /// The protocol version is not served.
    UnsupportedVersion = 800, "unsupported-version", -32022, 400, "Unsupported protocol version";

    // Rung 9: the other `_meta` fields.
    /// `clientInfo` is not an Implementation.
    ClientInfo = 900, "client-info", -32602, 400, "Invalid params: io.modelcontextprotocol/clientInfo must be an object with name and version";
    /// A capability is not an object.
    CapabilityNotObject = 901, "capability-not-object", -32602, 400, "Invalid params: each client capability must be an object";
    /// `logLevel` is not one of the eight levels.
    LogLevel = 902, "log-level", -32602, 400, "Invalid params: unknown io.modelcontextprotocol/logLevel";
    /// `progressToken` is neither a string nor an integer.
    ProgressToken = 903, "progress-token", -32602, 400, "Invalid params: progressToken must be a string or an integer";

    // Rung 10: the params that the protocol reads.
    /// `params.name` is missing or not a string.
    NameNotString = 1000, "name-not-string", -32602, 400, "Invalid params: name must be a string";
    /// `params.uri` is missing or not a string.
    UriNotString = 1001, "uri-not-string", -32602, 400, "Invalid params: uri must be a string";
    /// `params.arguments` is not an object.
    ArgumentsNotObject = 1002, "arguments-not-object", -32602, 400, "Invalid params: arguments must be an object";
    /// `requestState` is not a string.
    RequestStateNotString = 1003, "request-state-not-string", -32602, 400, "Invalid params: requestState must be a string";
    /// `inputResponses` is not an object.
    InputResponsesNotObject = 1004, "input-responses-not-object", -32602, 400, "Invalid params: inputResponses must be an object";
    /// The arguments hold a number that cannot be digested or represented: too many digits, or an exponent
    /// beyond [`MAX_EXPONENT`](crate::limits::MAX_EXPONENT). Found when they are sealed or converted.
    NumberTooLarge = 1005, "number-too-large", -32602, 400, "Invalid params: number out of range";
    /// The `cursor` of a list method is not a string.
    CursorNotString = 1006, "cursor-not-string", -32602, 400, "Invalid params: cursor must be a string";
    /// `params.notifications` of `subscriptions/listen` is missing, or a member of it has the wrong type.
    ListenFilter = 1007, "listen-filter", -32602, 400, "Invalid params: notifications must be an object of flags and a list of URIs";
    /// An argument of a prompt is not a string.
    PromptArgument = 1008, "prompt-argument", -32602, 400, "Invalid params: the arguments of a prompt must be strings";

    // Rung 11: tool parameters in headers.
    /// An argument that a header mirrors has a value, and its `Mcp-Param-*` header is missing.
    ParamHeaderMissing = 1100, "param-header-missing", -32020, 400, "Header mismatch: an Mcp-Param header is missing";
    /// An `Mcp-Param-*` header differs from its argument.
    ParamMismatch = 1101, "param-mismatch", -32020, 400, "Header mismatch: an Mcp-Param header differs from the body";
    /// An `Mcp-Param-*` header of the tool is there, and its argument is absent or null.
    ParamHeaderUnexpected = 1102, "param-header-unexpected", -32020, 400, "Header mismatch: an Mcp-Param header has no argument in the body";
    /// An argument that a header mirrors is a number beyond 2^53 - 1 in magnitude.
    ParamOutOfRange = 1103, "param-out-of-range", -32020, 400, "Header mismatch: a mirrored number is out of range";
    /// An argument that a header mirrors is an object or an array, which no header can carry.
    ParamNotPrimitive = 1104, "param-not-primitive", -32020, 400, "Header mismatch: a mirrored argument is an object or an array";

    /// `initialize` without a `protocolVersion`, `capabilities` or `clientInfo` of the right type.
    InitializeParams = 1050, "initialize-params", -32602, 400, "Invalid params: initialize needs protocolVersion, capabilities and clientInfo";

    // Rung 12: method.
    /// The method does not exist here.
    MethodNotFound = 1200, "method-not-found", -32601, 404, "Method not found";

    // Rung 13: on request of the handler.
    /// The request did not declare a capability that serving it needs.
    MissingCapability = 1300, "missing-capability", -32021, 400, "Missing required client capability";

    // Legacy sessions.
    /// A modern request in a legacy session.
    ModernInSession = 1350, "modern-in-session", -32600, 400, "Invalid request: this session speaks an earlier protocol version";
    /// A request before `initialize`; or one that needs the client's help, before `notifications/initialized`.
    NotInitialized = 1351, "not-initialized", -32600, 400, "Invalid request: initialize first";
    /// A second `initialize`.
    AlreadyInitialized = 1352, "already-initialized", -32600, 400, "Invalid request: already initialized";
    /// The legacy client cannot be asked what serving its request needs.
    ClientCannot = 1353, "client-cannot", -32600, 400, "Invalid request: the client did not declare what this needs";
    /// `Mcp-Session-Id` is missing where the server gave one out.
    SessionMissing = 1360, "session-missing", -32600, 400, "Invalid request: Mcp-Session-Id is missing";
    /// `Mcp-Session-Id` is not a session id: visible ASCII, and not too long.
    SessionId = 1361, "session-id", -32600, 400, "Invalid request: Mcp-Session-Id is malformed";
    /// No session of this id is alive; the client begins a new one.
    SessionNotFound = 1362, "session-not-found", -32600, 404, "Session not found";

    // Subscriptions, in the host's hands.
    /// As many subscriptions are open as there may be.
    SubscriptionsFull = 1370, "subscriptions-full", -32603, 200, "Internal error: too many subscriptions are open";

    // What a client reads. Nothing is answered to a response.
    /// The `resultType` is none that this client knows.
    ResultType = 1380, "result-type", -32600, 400, "Invalid response: unknown resultType";
    /// `input_required` that asks nothing, or what cannot be asked.
    InputRequests = 1381, "input-requests", -32600, 400, "Invalid response: input_required without questions or state that could be read";

    // The answers of a retry, checked on request of the handler.
    /// An input response does not have the shape of what was asked for.
    InputResponse = 1400, "input-response", -32602, 400, "Invalid params: an input response has the wrong shape";
    /// The content of a form is not an object.
    FormContent = 1410, "form-content", -32602, 400, "Invalid params: the content of an elicitation must be an object";
    /// A member that the form requires is missing.
    FormMissing = 1411, "form-missing", -32602, 400, "Invalid params: the content lacks a required member";
    /// A member that the form does not have, where it says that there is none.
    FormUnknown = 1412, "form-unknown", -32602, 400, "Invalid params: the content has an unknown member";
    /// A value of another type than the form's.
    FormType = 1413, "form-type", -32602, 400, "Invalid params: a value of the content has the wrong type";
    /// A text that is too short or too long, in code points.
    FormLength = 1414, "form-length", -32602, 400, "Invalid params: a text of the content is too short or too long";
    /// A text that does not have the form's format.
    FormFormat = 1415, "form-format", -32602, 400, "Invalid params: a text of the content has the wrong format";
    /// A number outside of the form's bounds.
    FormRange = 1416, "form-range", -32602, 400, "Invalid params: a number of the content is out of range";
    /// A value that is none of the options.
    FormOption = 1417, "form-option", -32602, 400, "Invalid params: a value of the content is none of the options";
    /// Too few or too many options selected.
    FormCount = 1418, "form-count", -32602, 400, "Invalid params: too few or too many options are selected";

    // requestState: one answer for all, so that a refusal teaches nothing.
    /// The token is not one of any accepted format.
    StateMalformed = 2000, "state-malformed", -32602, 400, "Invalid or expired requestState";
    /// No key of the ring has the token's key id.
    StateUnknownKey = 2001, "state-unknown-key", -32602, 400, "Invalid or expired requestState";
    /// The token does not authenticate.
    StateTampered = 2002, "state-tampered", -32602, 400, "Invalid or expired requestState";
    /// The token is older than its life.
    StateExpired = 2003, "state-expired", -32602, 400, "Invalid or expired requestState";
    /// The token claims to be issued in the future.
    StateFuture = 2004, "state-future", -32602, 400, "Invalid or expired requestState";
    /// The token was sealed for another method, target or arguments.
    StateOtherRequest = 2005, "state-other-request", -32602, 400, "Invalid or expired requestState";
    /// The token was sealed for another audience or principal.
    StateOtherContext = 2006, "state-other-context", -32602, 400, "Invalid or expired requestState";
    /// The token was used before, with other answers or by somebody who lost the race; only a store of what was
    /// used can tell.
    StateUsed = 2007, "state-used", -32602, 400, "Invalid or expired requestState";
    /// The token is older than the store of what was used, or may be: nobody knows whether it was.
    StateNoHistory = 2020, "state-no-history", -32602, 400, "Invalid or expired requestState";
    /// The token does not say when it was issued, or never expires: no store can remember it for as long as it is good.
    StateUndated = 2021, "state-undated", -32602, 400, "Invalid or expired requestState";

    // Once: the token is good, and the action is not to happen now. Answered as faults of the server, in-band.
    /// The same second leg is being served.
    OnceInFlight = 2100, "once-in-flight", -32603, 200, "Internal error: the request is being served, send it again later";
    /// The same second leg was served, and nobody knows whether its action was done. It will not be tried again.
    OnceOutcomeUnknown = 2101, "once-outcome-unknown", -32603, 200, "Internal error: whether the request was carried out is not known";
    /// The same second leg was served, and its result was not kept.
    OnceNoResult = 2102, "once-no-result", -32603, 200, "Internal error: the request was carried out, its result is no longer at hand";
    /// The store of what was used has no room. It forgets nothing to make some.
    OnceFull = 2103, "once-full", -32603, 200, "Internal error: busy, send the request again later";
    /// The principal holds its share of the store.
    OnceShare = 2104, "once-share", -32603, 200, "Internal error: busy, send the request again later";
    /// The store of what was used cannot be reached.
    OnceUnavailable = 2105, "once-unavailable", -32603, 200, "Internal error: busy, send the request again later";
}

impl Reason {
    /// Whether this is the refusal of a `requestState`: its answer carries
    /// `data: {"reason":"invalid_request_state"}` whatever the cause.
    pub const fn is_state(self) -> bool {
        self as u16 >= 2000 && (self as u16) < 2100
    }
}

/// Declares [`Misuse`].
macro_rules! misuses {
    ($( $(#[$doc:meta])* $name:ident, $text:literal; )*) => {
        /// A fault of the host program, never of the peer: a wrong argument, a buffer too small to try.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Misuse { $( $(#[$doc])* $name, )* }

        impl Misuse {
            /// A sentence that says what is wrong.
            pub const fn message(self) -> &'static str { match self { $( Misuse::$name => $text, )* } }
        }
    };
}

misuses! {
    /// A ring secret is shorter than [`MIN_SECRET_BYTES`](crate::limits::MIN_SECRET_BYTES).
    SecretTooShort, "a key must be at least 32 bytes";
    /// A ring secret is longer than [`MAX_SECRET_BYTES`](crate::limits::MAX_SECRET_BYTES).
    SecretTooLong, "a key must be at most 1024 bytes";
    /// The ring has no key.
    NoKeys, "at least one key is needed";
    /// The ring has more than [`MAX_KEYS`](crate::limits::MAX_KEYS) keys.
    TooManyKeys, "a ring holds at most 16 keys";
    /// Two keys of the ring have the same key id.
    EqualKeys, "two keys of the ring have the same key id, or sign alike";
    /// The key has sealed as many tokens as its [budget](crate::seal::Key::with_budget) allows.
    KeyExhausted, "this key has sealed as many tokens as it may: roll in a new one";
    /// A counted nonce under a key for random ones, or the reverse.
    NonceMode, "counted nonces need a key derived for them, and random ones a key that is not";
    /// A key for counted nonces in a ring that serves another format than `compact`.
    CounterFormat, "a key for counted nonces serves the compact format only";
    /// Another process than the one that the nonces were made for asks for one.
    NoncesInherited, "these nonces belong to another process: make new ones after a fork";
    /// No nonce is left, or no boot.
    NoncesExhausted, "no nonce is left";
    /// The boot's number was not in store when it was read back.
    BootNotStored, "the boot's number is not in store";
    /// The lifetime is outside 1 ms to 12 days.
    Lifetime, "the lifetime must be from 1 ms to 12 days";
    /// The time is before 2020 or beyond 42 bits of milliseconds.
    ImplausibleTime, "the time is implausible";
    /// The state is longer than [`MAX_STATE_BYTES`](crate::limits::MAX_STATE_BYTES).
    StateTooLong, "the state is longer than 32768 bytes";
    /// The token would be longer than [`MAX_TOKEN_BYTES`](crate::limits::MAX_TOKEN_BYTES).
    TokenTooLong, "the token would be longer than 300000 characters";
    /// The `python` format carries text, and the state is not UTF-8.
    StateNotText, "the python format needs a state that is UTF-8 text";
    /// A token of the `typescript` or `rust` format with nothing that it is bound to, where that was not allowed.
    Unbound, "this format needs a binding, or allow_unbound";
    /// The `typescript` format carries a JSON value, and the state is not the text of one.
    StateNotJson, "the typescript format needs a state that is a JSON text, or empty";
    /// An audience or principal is longer than [`MAX_CONTEXT_BYTES`](crate::limits::MAX_CONTEXT_BYTES).
    ContextTooLong, "audience and principal are at most 4096 bytes";
    /// The lent scratch is too small.
    ScratchTooSmall, "the lent scratch is too small";
    /// The arguments hold a number that the format cannot digest.
    NumberTooLarge, "the arguments hold a number beyond the digest's limits";
    /// JSON that the host gave is not valid, or repeats a member.
    HostJson, "not valid JSON, or a member twice";
    /// JSON that the host gave is not an object.
    HostJsonNotObject, "the JSON value must be an object";
    /// `ttlMs` or `cacheScope` on a method whose results are not cacheable.
    NotCacheable, "this method's results carry no ttlMs or cacheScope";
    /// The result's own `ttlMs` or `cacheScope` has no valid value.
    CacheHint, "ttlMs must be a whole number of milliseconds, and cacheScope \"public\" or \"private\"";
    /// The server's `Implementation` lacks something, or one of its strings has an unpaired surrogate.
    ServerInfo, "serverInfo must be an object with the strings name and version, without unpaired surrogates";
    /// The method cannot be answered with `input_required`.
    NoInputRequired, "this method cannot be answered with input_required";
    /// `input_required` with neither a question nor a state.
    NothingRequired, "input_required needs a question or a state";
    /// More questions than [`MAX_QUESTIONS`](crate::limits::MAX_QUESTIONS).
    TooManyQuestions, "one result can ask at most 64 questions";
    /// Two questions have the same key.
    DuplicateKey, "two questions have the same key";
    /// A question is not one of elicitation, sampling and roots, or misses what its kind needs.
    InvalidQuestion, "not a valid question";
    /// A server-sent event's data is not UTF-8, or its type or id does not fit on a line, or its id is too long.
    EventField, "an event's data must be UTF-8, its type and id one line each, the id at most 256 bytes";
    /// A request whose method is empty, a notification's, or one that 2026-07-28 does not have.
    RequestMethod, "not the method of a request of 2026-07-28";
    /// The client's `Implementation` lacks something.
    ClientInfo, "clientInfo must be an object with the strings name and version";
    /// The result asks for no input, or answers another request.
    NotInputRequired, "not a result that asks this request for input";
    /// The id of a second leg is that of the first.
    IdReused, "a retry needs an id of its own";
    /// The answers of a second leg are not those to what was asked.
    InputResponses, "one fitting answer is needed for each question, and no other";
    /// A notification whose method is empty, or that of a request.
    NotANotification, "not the method of a notification";
    /// The params of a notification lack what its receiver needs, or it does not belong to a subscription.
    NotificationParams, "the params, or the subscription, are not those of this notification";
    /// A `progress` or `total` is not a JSON number of at most [`MAX_PROGRESS_BYTES`](crate::limits::MAX_PROGRESS_BYTES).
    ProgressNumber, "progress and total must be numbers of at most 64 characters";
    /// Progress that is no further than what was said before.
    ProgressNotRising, "progress must rise with every notification";
    /// As many requests wait for the client's answers as the session holds.
    TooManyRequests, "too many requests wait for this client's answers";
    /// An `elicitationId` that is digits alone, which are the session's own, or the same as one of the last
    /// [`MAX_ELICITATION_IDS`](crate::limits::MAX_ELICITATION_IDS) of its session.
    ElicitationId, "an elicitationId must be new in its session, and not a number";
    /// The URL of an elicitation is no URI with a scheme.
    Url, "url must be a URI with a scheme";
    /// The parameters of a sampling request do not have their shape.
    Sampling, "not valid parameters of sampling/createMessage";
    /// A sampling request's messages use tools without their results, or the reverse.
    ToolBalance, "each tool_use must be answered by one tool_result in the next message, and that by nothing else";
    /// A form's schema is not an object schema with `properties`, or has too many of them.
    FormSchema, "requestedSchema must have type \"object\" and at most 128 properties";
    /// A form's `required` is not a list of its properties.
    FormRequired, "required must be a list of names that properties has";
    /// A form has a constraint that its grammar does not know.
    FormKeyword, "a form's schema has a constraint that forms do not have";
    /// A property's `title` or `description` is not a string.
    FormProperty, "title and description must be strings";
    /// A property has none of the types that a form can have.
    FormType, "a form's property must have type string, number, integer, boolean, or array with options";
    /// A property's format is not one of the four.
    FormFormat, "format must be email, uri, date or date-time";
    /// A property's bounds are no numbers, or the lower one is above the upper.
    FormBounds, "a form's bounds must be numbers, the lower one not above the upper";
    /// A select's options are none, too many, too long together, not strings, or repeated.
    FormOptions, "a select needs 1 to 1024 different options, 64 KiB together: strings, or const with title";
    /// A property's default is not a value that it allows.
    FormDefault, "default must be a value that the property allows";
    /// The result has a `resultType` that is not its own.
    ResultType, "the result has another resultType";
    /// A key of the result's `_meta` breaks the grammar of such keys.
    MetaKey, "a key of _meta must be a name, or prefix/name, as the specification spells them";
    /// An error code that this revision reserves or retired.
    ReservedCode, "this error code is reserved";
    /// A capability is not an object, or the id of an extension is none.
    Capabilities, "each capability must be an object, and an extension's id prefix/name";
    /// The data of an error is not what its code defines.
    ErrorData, "this error code's data must have the shape that the specification defines";
    /// There is nothing to answer: the message is not a request.
    NotARequest, "only a request is answered";
    /// A version that this crate does not know, or that belongs to the other era.
    UnknownVersion, "unknown protocol version";
    /// An argument that a header mirrors is neither a string, an integer nor a boolean.
    ParamNotPrimitive, "an argument that a header mirrors must be a string, an integer or a boolean";
    /// An integer that a header mirrors is beyond [`MAX_PARAM_INTEGER`](crate::limits::MAX_PARAM_INTEGER).
    ParamOutOfRange, "an integer that a header mirrors must be from -(2^53 - 1) to 2^53 - 1";
    /// A string that a header mirrors holds an escaped surrogate without its pair, which UTF-8 cannot carry.
    ParamSurrogate, "a string that a header mirrors holds an unpaired surrogate";
    /// A table for [`Once`](crate::once::Once) without a slot, or with more than
    /// [`MAX_ONCE_SLOTS`](crate::limits::MAX_ONCE_SLOTS).
    OnceSlots, "a table has 1 to 65536 slots";
    /// A lease of nothing, or longer than [`MAX_LEASE_MS`](crate::limits::MAX_LEASE_MS).
    OnceLease, "a lease must be from 1 ms to 1 day";
    /// A principal's share is no slot, or more than there are.
    OnceShare, "a principal's share must be from 1 to all slots";
    /// A skew beyond [`MAX_SKEW_MS`](crate::limits::MAX_SKEW_MS).
    OnceSkew, "the skew must be from 0 to 60 seconds";
    /// A limit outside of what the core can do.
    LimitOutOfRange, "limit out of range";
}
