//! Every bound of the core, in one place. Each has a test at its edge.

/// The longest body that can be admitted, in bytes: offsets are kept in 31 bits.
pub const MAX_BODY_BYTES: usize = 0x7FFF_FFFF;
/// The body size a [`Policy`](crate::Policy) allows unless told otherwise, in bytes.
pub const DEFAULT_MAX_BYTES: usize = 4 * 1024 * 1024;
/// The deepest nesting of arrays and objects that a policy can allow.
pub const MAX_DEPTH: usize = 256;
/// The nesting a policy allows unless told otherwise.
pub const DEFAULT_MAX_DEPTH: usize = 64;
/// The longest `id`, in bytes as written (quotes not counted). An integer of so many digits is one that every
/// Python reads, however its own limit is set (640 digits at the least).
pub const MAX_ID_BYTES: usize = 512;
/// How many `Mcp-Param-*` fields one request can carry, and how many parameters a tool's schema can mirror.
pub const MAX_PARAM_HEADERS: usize = 32;
/// The longest tool schema that is compiled, in bytes. Nesting is bounded by [`MAX_DEPTH`].
pub const MAX_SCHEMA_BYTES: usize = 16 * 1024 * 1024;
/// How many property names the paths of one tool's mirrored parameters have together; a name that several paths
/// share counts once.
pub const MAX_PARAM_STEPS: usize = 64;
/// The longest decoded `Mcp-Param-*` value that is compared as a number, in bytes: the sixteen digits that a mirrored
/// integer can have, and room for zeros after the decimal point.
pub const MAX_PARAM_NUMBER_BYTES: usize = 64;
/// The largest integer, in magnitude, that a header can mirror: 2^53 - 1, up to which all JSON readers agree.
pub const MAX_PARAM_INTEGER: i64 = (1 << 53) - 1;
/// How many members a `tracestate` may have (W3C Trace Context, 3.3.1.1); one with more is dropped.
pub const MAX_TRACESTATE_MEMBERS: usize = 32;
/// How many members a `baggage` may have; one with more is dropped.
pub const MAX_BAGGAGE_MEMBERS: usize = 180;
/// The longest `baggage`, in bytes of the decoded string (W3C Baggage, 3.3.2); a longer one is dropped.
pub const MAX_BAGGAGE_BYTES: usize = 8192;
/// The longest `progress` or `total` that can be sent, in characters as written.
pub const MAX_PROGRESS_BYTES: usize = 64;
/// How long a client keeps a result at most, in milliseconds, however long the server says: a day (CACHE-20).
pub const MAX_TTL_MS: u64 = 24 * 60 * 60 * 1000;
/// How many questions one result can ask.
pub const MAX_QUESTIONS: usize = 64;
/// How many tools one message of a sampling request can have used.
pub const MAX_TOOL_USES: usize = 128;
/// How many properties a form can have (ELIC-06).
pub const MAX_FORM_PROPERTIES: usize = 128;
/// How many options a select of a form can offer.
pub const MAX_FORM_OPTIONS: usize = 1024;
/// How long the list of a select's options can be, in bytes as written: each option is compared with every other, and with
/// every one that is selected.
pub const MAX_FORM_OPTIONS_BYTES: usize = 64 * 1024;
/// How many options can be selected at once.
pub const MAX_FORM_ITEMS: usize = 1024;
/// The longest id of a server-sent event, in bytes.
pub const MAX_EVENT_ID_BYTES: usize = 256;
/// How many entries a batch of 2025-03-26 can have.
pub const MAX_BATCH: usize = 64;
/// How many `elicitationId`s of its own host a legacy session remembers, so that none is used twice.
pub const MAX_ELICITATION_IDS: usize = 64;
/// The longest `Mcp-Session-Id`, in characters.
pub const MAX_SESSION_ID_BYTES: usize = 256;
/// The shortest ring secret, in bytes.
pub const MIN_SECRET_BYTES: usize = 32;
/// The longest ring secret, in bytes.
pub const MAX_SECRET_BYTES: usize = 1024;
/// How many keys one sealer can open with.
pub const MAX_KEYS: usize = 16;
/// How many tokens one key may seal, for all holders of its secret together. NIST SP 800-38D, 8.3, allows 2^32 with
/// random nonces; this is one less, so that the count fits 32 bits.
pub const MAX_SEALS: u32 = u32::MAX;
/// The longest `requestState` that is looked at, in characters of the decoded string.
pub const MAX_TOKEN_BYTES: usize = 300_000;
/// The longest plaintext state that can be sealed, in bytes. Chosen so that the token stays below
/// [`MAX_TOKEN_BYTES`] in every format, the `python` one with each byte escaped to six included, unless method
/// or target are thousands of bytes long.
pub const MAX_STATE_BYTES: usize = 32 * 1024;
/// The longest audience or principal, in bytes of UTF-8.
pub const MAX_CONTEXT_BYTES: usize = 4096;
/// The earliest time that is believed: 2020-01-01T00:00:00Z, in Unix milliseconds. An earlier one is a
/// clock that was never set, or seconds given for milliseconds.
pub const MIN_TIME_MS: u64 = 1_577_836_800_000;
/// The latest time that is believed, in Unix milliseconds: 42 bits, the year 2109.
pub const MAX_TIME_MS: u64 = (1 << 42) - 1;
/// The shortest life of a token, in milliseconds.
pub const MIN_LIFETIME_MS: u64 = 1;
/// The longest life of a token, in milliseconds: 12 days.
pub const MAX_LIFETIME_MS: u64 = 12 * 24 * 60 * 60 * 1000;
/// How far in the future a token may claim to be issued, in milliseconds, so that replicas may disagree
/// about the time.
pub const MAX_SKEW_MS: u64 = 60_000;
/// The largest decimal exponent, in magnitude, of a number in digested arguments.
pub const MAX_EXPONENT: i64 = 1_000_000;
/// The longest integer in arguments bound by the `python` format, in digits: Python reads no longer one.
pub const MAX_PYTHON_INT_DIGITS: usize = 4300;
/// How many tokens one [`Once`](crate::once::Once) remembers at most: each call goes through them all.
pub const MAX_ONCE_SLOTS: usize = 65_536;
/// A principal holds one of so many equal shares of the slots, unless told otherwise.
pub const ONCE_SHARES: usize = 8;
/// The longest that an action claimed once may take, in milliseconds: a day.
pub const MAX_LEASE_MS: u64 = 24 * 60 * 60 * 1000;
/// How long an action claimed once may take unless told otherwise, in milliseconds.
pub const DEFAULT_LEASE_MS: u64 = 60_000;
