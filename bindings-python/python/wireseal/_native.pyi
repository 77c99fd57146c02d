from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal, Protocol, TypeAlias, final

from typing_extensions import Buffer

from ._rejected import Rejected

_Octets: TypeAlias = str | bytes
_Pair: TypeAlias = tuple[_Octets, _Octets] | list[str] | list[bytes]

class _HasItems(Protocol):
    def items(self) -> Iterable[tuple[_Octets, _Octets]]: ...

# JSON objects: a Python value that json.dumps takes, or the bytes of its JSON text.
_Object: TypeAlias = dict[str, Any] | bytes | bytearray | memoryview
_Seconds: TypeAlias = int | float
_Format: TypeAlias = Literal["compact", "python", "typescript", "rust"]
_Level: TypeAlias = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]

__all__ = [
    "DEPRECATED",
    "REASONS",
    "CodecRing",
    "LegacyEvent",
    "LegacySession",
    "LineFramer",
    "Message",
    "OnceClaim",
    "OnceTable",
    "Opened",
    "ParamHeaders",
    "Policy",
    "Probe",
    "Received",
    "Sealer",
    "SseReader",
    "Subscriptions",
    "__version__",
    "admit",
    "admit_batch",
    "admit_stream",
    "batch_answer",
    "check_elicitation",
    "check_input_responses",
    "complete",
    "elicit",
    "elicit_url",
    "error",
    "header_decode",
    "header_encode",
    "initialize",
    "input_required",
    "list_roots",
    "log",
    "notification",
    "once_settings",
    "once_time",
    "param_headers",
    "probe",
    "progress",
    "read_result",
    "request",
    "resource_not_found",
    "retry",
    "sample",
    "session_id",
    "session_not_found",
    "sse_comment",
    "sse_event",
]

__version__: Final[str]

DEPRECATED: Final[tuple[tuple[str, str, str, str, str], ...]]
"""What 2026-07-28 deprecates: a stable name, the feature, since which revision, when it is removed at the earliest, and what to use
instead."""

REASONS: Final[tuple[tuple[str, int, int, str], ...]]
"""Every reason of a `Rejected`, in the order of the checks: name, JSON-RPC code, HTTP status, message."""

@final
class Policy:
    """What a server serves and what it lets through. Immutable; make one and use it for every message.

    Args:
        versions: the modern revisions served; 2026-07-28 unless told otherwise.
        legacy: the handshake-era revisions served: any of 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25.
        methods: the request methods served; others are refused with -32601. ``None`` leaves that to the host.
            ``initialize`` and ``ping`` of legacy clients are served in any case.
        server_info: the ``Implementation`` that answers name, a dict or bytes of JSON. ``None``: none.
        max_bytes: the longest body, in bytes.
        max_depth: the deepest nesting of arrays and objects, at most 256.
        allowed_origins: the values of ``Origin`` that may pass, such as ``"https://desk.example"``. ``None``: only
            loopback ones. ``"*"``: all. A request without ``Origin`` always passes.
        allowed_hosts: the values of ``Host`` that may pass. ``None``: not checked.

    Raises:
        ValueError: an unknown revision or one of the other era, a limit out of range, JSON that is not an object.
        TypeError: a value of the wrong type; a single ``str`` where several are expected.
    """

    def __new__(
        cls,
        *,
        versions: Iterable[str] = ...,
        legacy: Iterable[str] = (),
        methods: Iterable[str] | None = None,
        server_info: _Object | None = None,
        max_bytes: int = 4194304,
        max_depth: int = 64,
        allowed_origins: Iterable[str] | Literal["*"] | None = None,
        allowed_hosts: Iterable[str] | None = None,
    ) -> Policy: ...
    @property
    def versions(self) -> tuple[str, ...]:
        """The modern revisions served, the newest first."""
    @property
    def legacy(self) -> tuple[str, ...]:
        """The legacy revisions served, the newest first."""
    @property
    def methods(self) -> tuple[str, ...] | None:
        """The request methods served; ``None``: not checked."""
    @property
    def server_info(self) -> bytes | None:
        """The identity that answers carry, as bytes of JSON."""
    @property
    def max_bytes(self) -> int:
        """The longest body, in bytes."""
    @property
    def max_depth(self) -> int:
        """The deepest nesting of arrays and objects."""
    @property
    def allowed_origins(self) -> tuple[str, ...] | Literal["*"] | None:
        """The origins that may pass; ``None``: loopback, ``"*"``: all."""
    @property
    def allowed_hosts(self) -> tuple[str, ...] | None:
        """The hosts that may pass; ``None``: not checked."""

@final
class Message:
    """A message that passed every check; made by `admit`. Immutable, except for the Python values that it hands out.

    ``params``, ``arguments``, ``meta``, ``client_info``, ``capabilities`` and ``input_responses`` are parsed by
    Python's ``json`` when first asked for, and kept: each access gives the same object, and changing it changes
    nothing else (seals and answers go by the bytes that came). Integers keep every digit; one of more than
    ``sys.get_int_max_str_digits()`` digits raises ``Rejected`` there (``number-too-large``), and the ``*_json`` bytes
    still have it.
    """

    @property
    def kind(self) -> Literal["request", "notification", "response", "error"]:
        """What it is. Only a request is answered."""
    @property
    def era(self) -> Literal["modern", "legacy"]:
        """Which way of talking MCP it uses."""
    @property
    def deprecated(self) -> tuple[str, ...]:
        """The names, of `DEPRECATED`, of what a modern request declares or sets and should not any more."""
    @property
    def version(self) -> str | None:
        """The revision, such as ``"2026-07-28"``; ``None`` for a legacy message whose session is not known."""
    @property
    def id(self) -> int | str | None:
        """The id; ``None`` on a notification. Answers carry it exactly as it came."""
    @property
    def method(self) -> str | None:
        """The method; ``None`` on responses and errors."""
    @property
    def name(self) -> str | None:
        """The name of the tool or prompt, or the URI of the resource; ``None`` for methods without one."""
    @property
    def params(self) -> dict[str, Any] | None:
        """``params``; ``None`` when absent."""
    @property
    def arguments(self) -> dict[str, Any] | None:
        """``params.arguments``; ``None`` when absent or null."""
    @property
    def meta(self) -> dict[str, Any] | None:
        """``params._meta``; ``None`` when absent."""
    @property
    def params_json(self) -> bytes | None:
        """``params`` as it came."""
    @property
    def arguments_json(self) -> bytes | None:
        """``params.arguments`` as it came."""
    @property
    def client_info(self) -> dict[str, Any] | None:
        """The client's name and version: a claim that nobody has verified. Decide nothing by it."""
    @property
    def capabilities(self) -> dict[str, Any] | None:
        """What the client declared for this request, and only for it."""
    @property
    def log_level(self) -> str | None:
        """The least severe log level that the client wants; ``None``: send no log messages."""
    @property
    def progress_token(self) -> int | str | None:
        """The token that asks for progress; ``None``: send none."""
    @property
    def subscription_id(self) -> int | str | None:
        """The id of the ``subscriptions/listen`` request that a notification belongs to; ``None``: of none."""
    @property
    def cursor(self) -> str | None:
        """Where a list goes on, on ``tools/list``, ``prompts/list``, ``resources/list`` and ``resources/templates/list``;
        ``None``: the first page is wanted. ``""`` is a cursor like any other. Refuse one that you did not give out with
        `error` and -32602."""
    @property
    def cancelled_id(self) -> int | str | None:
        """The id of the request that a ``notifications/cancelled`` gives up; 0 and ``""`` are ids. ``None`` on every other
        message, and when it names none: drop it then. Over HTTP stop nothing for it: clients cancel by closing the stream,
        and the id may be another client's."""
    @property
    def progress(self) -> dict[str, Any] | None:
        """What a ``notifications/progress`` says, a new dict on each access: ``progressToken``, ``progress``, and ``total``
        and ``message`` where they are. ``None`` on every other message, and on a malformed one: drop it then."""
    @property
    def log_message(self) -> dict[str, Any] | None:
        """What a ``notifications/message`` says, a new dict on each access: ``level``, ``data``, and ``logger`` where it is.
        ``None`` on every other message, and on a malformed one: drop it then."""
    @property
    def trace_context(self) -> dict[str, str]:
        """``traceparent``, ``tracestate`` and ``baggage``, a new dict on each access: those that are there and follow
        the W3C formats. A value that does not is dropped, and ``tracestate`` goes with ``traceparent``."""
    @property
    def request_state(self) -> str | None:
        """The ``requestState`` that came back. Nothing in it is true until `Sealer.open` has verified it."""
    @property
    def input_responses(self) -> dict[str, Any] | None:
        """The answers to the questions asked before. Untrusted input, even when `Sealer.open` succeeds."""
    def require(self, capabilities: _Object) -> None:
        """Refuses the request unless its client declared these capabilities, such as ``{"elicitation": {}}``.

        Raises:
            Rejected: -32021, with the missing ones in ``data``.
            ValueError: not a JSON object of capabilities, or the id of an extension breaks its grammar.
        """

def admit(
    body: Buffer,
    headers: _HasItems | Iterable[_Pair] | None = None,
    policy: Policy | None = None,
    *,
    http_method: str = "POST",
    tool_schema: Callable[[str], _Object | ParamHeaders | None] | None = None,
    legacy_version: str | None = None,
) -> Message:
    """Judges one message: strict JSON, envelope, era, headers against body, version, limits.

    Args:
        body: the bytes of an HTTP body, or one line of stdio. ``bytes`` are borrowed, not copied; any other buffer
            is copied first. ``str`` is refused: the bytes as they came are what is judged.
        headers: the HTTP fields, all of them, each copy on its own, as pairs of name and value; ASGI's list is the
            quickest form. Anything with ``items()`` works too, but a mapping cannot show that a field came twice.
            ``str`` is taken for what HTTP libraries make of bytes, Latin-1. ``None``: not HTTP, but stdio.
        policy: what the server serves; ``None``: 2026-07-28 alone, within the default limits.
        http_method: the method of the HTTP request; not looked at without headers.
        tool_schema: called with the name of the tool that a modern ``tools/call`` over HTTP names, once and only when
            every check before has passed; returns the tool's ``inputSchema``, or better the `ParamHeaders` compiled
            from it, and ``Mcp-Param-*`` is then checked against the arguments. ``None`` for a tool without any, or an
            unknown one. What it raises passes unchanged. On stdio and for legacy messages it is not called.
        legacy_version: the revision that the legacy session's handshake settled on, where the host keeps sessions.

    Raises:
        Rejected: the peer's fault; it carries the answer.
        TypeError: an argument of the wrong type.
        ValueError: an unknown ``legacy_version``; a schema from ``tool_schema`` that `param_headers` refuses.
    """

@final
class ParamHeaders:
    """Which parameters of a tool are mirrored in ``Mcp-Param-*`` headers; made by `param_headers`. Immutable; make one
    for each tool and keep it.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the headers, such as ``"Mcp-Param-Region"``, in the order of the schema."""
    def emit(self, arguments: _Object | None) -> dict[str, str]:
        """The headers that a call with these arguments must have, by name; values are encoded where they must be.

        An argument that is absent or ``None`` has none. Integers are exact decimals whatever their type: ``1e3`` in
        JSON and ``1000.0`` in Python give ``"1000"``.

        Raises:
            ValueError: an argument that no header can carry: an object, an array, a fraction, an integer beyond 2**53 - 1
                in magnitude, a string with an unpaired surrogate; or arguments that are not a JSON object.
        """
    def verify(self, arguments: _Object | None, headers: _HasItems | Iterable[_Pair]) -> None:
        """Checks the headers of a call, as `admit` does with ``tool_schema``. Headers that the schema does not name
        are ignored. The headers are taken in the forms that `admit` takes.

        Raises:
            Rejected: a header is missing, differs from its argument or has none, came twice or is malformed; or an
                argument is nothing that a header can carry (-32020). It has no ``id``.
            ValueError: arguments that are not a JSON object.
        """

def param_headers(schema: _Object) -> ParamHeaders:
    """Compiles a tool's ``inputSchema``: a dict, or bytes of JSON. At most 16 MiB, 32 headers, 64 property names on all
    their paths together.

    Raises:
        ValueError: an ``x-mcp-header`` is invalid, and so the tool is: the message says why and where (a JSON pointer
            into the schema). Or the schema is not a JSON object, or repeats a member.
        TypeError: a schema of the wrong type.
    """

@final
class Opened:
    """What a verified token said; made by `Sealer.open`."""

    @property
    def state(self) -> bytes:
        """The state that was sealed; a ``str`` comes back as UTF-8."""
    @property
    def issued_at(self) -> float | None:
        """When the token was sealed, in Unix seconds, exact to the millisecond; None in the formats ``"typescript"`` and
        ``"rust"``, which do not say."""
    @property
    def expires_at(self) -> float | None:
        """From when on it is refused, in Unix seconds, exact to the millisecond; None where it never is (``allow_endless``)."""
    @property
    def key_id(self) -> bytes:
        """The id of the key that opened it, 4 bytes."""
    @property
    def token_id(self) -> bytes:
        """Names the token, 16 bytes: the same for each copy of it, another for every other token."""
    @property
    def reissue_key(self) -> bytes:
        """Names the request, 16 bytes: the same when a client sends the same answers to the same token again,
        another when anything but the JSON-RPC id differs."""
    @property
    def format(self) -> _Format:
        """The format of the token."""
    @property
    def bound(self) -> frozenset[str]:
        """What the token was verified against, out of ``"method"``, ``"target"``, ``"arguments"``, ``"audience"``
        and ``"principal"``; a ``"typescript"`` or ``"rust"`` token against ``"binding"``, or nothing at all."""

# What `Once` and `RedisOnce` are made of; not offered by the package. Times are Unix milliseconds, or seconds where they
# may be None: the system's clock.

_Word: TypeAlias = tuple[str, Any]

class _Ticket: ...

@final
class CodecRing:
    def __new__(cls, keys: Iterable[bytes | str]) -> CodecRing: ...
    def seal(self, payload: Buffer) -> str: ...
    def open(self, token: str) -> bytes | str: ...

@final
class OnceClaim:
    def __new__(cls, opened: Opened, principal: str | None) -> OnceClaim: ...
    @property
    def token_id(self) -> bytes: ...
    @property
    def reissue_key(self) -> bytes: ...
    @property
    def principal_id(self) -> bytes: ...
    @property
    def keep_until_ms(self) -> int: ...
    def admit(self, since_ms: int, now_ms: int) -> None: ...
    def meet(self, reissue_key: bytes, stage: str, lease_ends_ms: int, now_ms: int) -> _Word: ...
    def refused(self, reason: str) -> Rejected: ...

@final
class OnceTable:
    def __new__(
        cls,
        capacity: int,
        max_result_bytes: int,
        lease: _Seconds | None,
        share: int | None,
        skew: _Seconds | None,
        now: _Seconds | None,
    ) -> OnceTable: ...
    def claim(self, claim: OnceClaim, now: _Seconds | None) -> _Word: ...
    def find(self, claim: OnceClaim, now: _Seconds | None) -> _Word: ...
    def finish(self, ticket: _Ticket, result: bytes | None, now: _Seconds | None) -> str: ...
    def release(self, ticket: _Ticket, now: _Seconds | None) -> bool: ...
    def abandon(self, ticket: _Ticket, now: _Seconds | None) -> None: ...
    def count(self, now: _Seconds | None) -> int: ...

def once_time(now: _Seconds) -> int: ...
def once_settings(
    capacity: int, lease: _Seconds | None, share: int | None, skew: _Seconds | None
) -> tuple[int, int, int]: ...
@final
class Sealer:
    """Seals state into a ``requestState`` token, and opens it for the same request and nobody else. Immutable.

    A token is bound to the method, the target, the arguments, the audience and the principal. Nothing is stored: any
    process with the same keys opens it.

    Args:
        keys: secrets of 32 to 1024 bytes (``str`` counts as UTF-8), at most 16. The first seals, every one opens;
            rotate by ``[old, new]``, then ``[new, old]``, then ``[new]`` after one ``ttl``.
        audience: the service that the tokens are for, or ``None``; must be written out.
        ttl: the life of a token, in seconds, from a millisecond to 12 days.
        format: the format to seal: ``"compact"`` is WireSeal's own; ``"python"``, ``"typescript"`` and ``"rust"`` are
            those of the official SDKs. The last two are signed and not encrypted: the client can read the state, which
            for ``"typescript"`` is the JSON text of its payload.
        accept: formats to open besides.
        binding: what tokens of ``"typescript"`` and ``"rust"`` are bound to, which know of no method, target or principal:
            called with these three, it returns what the other framework binds to (its ``bind``, its associated data).
            Nothing else is bound. An empty binding is none.
        allow_unbound: take such tokens without a binding, too: whoever holds one can use it with any request.
        allow_endless: open tokens of ``"rust"`` that have no expiry, too: whoever holds one can use it for ever.
        nonces: ``"random"`` takes new random bytes from the system for every token. ``"process"`` takes them once and
            counts on from there, anew in every forked child: quicker where the system is slow to give them, but not
            for a process that is restored from the snapshot of a virtual machine, whose copies would count alike.
        max_seals: how many tokens this sealer may encrypt, at most and unless told otherwise 2**32 - 1. That is the bound for
            one key over its whole life and for all its holders together, so each should have its share. A forked
            child goes on from its parent's count.

    Raises:
        ValueError: a key too short or too long, two keys with one id (or that sign alike), a ttl or ``max_seals`` out of range, an
            unknown format or source of nonces, a format that needs ``binding`` without it.
        TypeError: a value of the wrong type; a single key instead of a list of them.
    """

    def __new__(
        cls,
        keys: Iterable[bytes | str],
        *,
        audience: str | None,
        ttl: _Seconds = 600,
        format: _Format = "compact",
        accept: Iterable[_Format] = (),
        binding: Callable[[str, str | None, str | None], str | bytes] | None = None,
        allow_unbound: bool = False,
        allow_endless: bool = False,
        nonces: Literal["random", "process"] = "random",
        max_seals: int = 4294967295,
    ) -> Sealer: ...
    @property
    def seals_left(self) -> int:
        """How many tokens this sealer may still encrypt. ``"typescript"`` and ``"rust"`` encrypt none and are not counted."""
    def seal(self, msg: Message, state: bytes | str, *, principal: str | None, now: _Seconds | None = None) -> str:
        """Seals a state for the request, with fresh randomness from the operating system.

        Args:
            msg: the request that the client is to send again.
            state: what to remember, at most 32768 bytes; the client cannot read it. ``"python"`` carries text only.
            principal: who is asking, as the host has authenticated them, or ``None``; must be written out.
            now: Unix seconds, exact to the millisecond; ``None``: the system's clock.

        Raises:
            ValueError: not a request; a state, principal or time out of range; ``max_seals`` tokens were sealed.
            Rejected: arguments with a number that cannot be digested, such as one with an exponent beyond a million.
            OSError: the system gave no randomness; nothing was sealed.
        """
    def open(self, msg: Message, *, principal: str | None, now: _Seconds | None = None) -> Opened | None:
        """Verifies the request's ``requestState`` against the request; ``None`` when it carries none.

        Args:
            msg: the request that carries the token.
            principal: who is asking, as the host has authenticated them, or ``None``; must be written out.
            now: Unix seconds, exact to the millisecond; ``None``: the system's clock.

        Raises:
            Rejected: the token is not valid here. All causes look the same to the peer; ``reason`` tells them apart.
            ValueError: not a request; a principal or time out of range.
        """
    def seal_for(
        self,
        method: str,
        target: str | None,
        arguments_json: _Object | None,
        state: bytes | str,
        *,
        principal: str | None,
        now: _Seconds | None = None,
    ) -> str:
        """As `seal`, for a host that has no `Message`: the request is named by its parts.

        Args:
            method: such as ``"tools/call"``.
            target: the name or URI that the request is about; ``None`` without one.
            arguments_json: a dict or bytes of JSON; ``None`` and an empty object count as the same.

        Raises:
            ValueError: also for JSON that is not valid, or repeats a member.
            TypeError: also for arguments as ``str``: encode JSON text first.
        """
    def open_for(
        self,
        token: str,
        method: str,
        target: str | None,
        arguments_json: _Object | None,
        *,
        principal: str | None,
        now: _Seconds | None = None,
        input_responses_json: _Object | None = None,
    ) -> Opened:
        """As `open`, for a host that has no `Message`.

        Args:
            input_responses_json: the answers that came with the token; they count for ``reissue_key``.

        Raises:
            Rejected: as `open`, without an id.
        """

def complete(
    msg: Message,
    result: _Object,
    *,
    ttl_ms: int | None = None,
    cache_scope: Literal["public", "private"] | None = None,
    server_info: _Object | None = None,
) -> bytes:
    """The answer that completes a request.

    Args:
        msg: the request.
        result: an object; ``resultType`` and the server's identity are added.
        ttl_ms: how long the client may keep the result, in milliseconds; only for the methods whose results can be
            kept, where it is 0 unless given here or in the result.
        cache_scope: for whom it may be kept; ``"private"`` unless given here or in the result.
        server_info: the identity to name; ``None``: the policy's that `admit` was given.

    Raises:
        ValueError: not a request, not a JSON object (NaN included), or a hint for a result that takes none.
        TypeError: a value that ``json`` cannot write.
    """

def input_required(
    msg: Message,
    questions: Mapping[str, _Object],
    *,
    sealer: Sealer | None = None,
    state: bytes | str | None = None,
    principal: str | None = ...,
    request_state: str | None = None,
    server_info: _Object | None = None,
    now: _Seconds | None = None,
) -> bytes:
    """The answer that asks the client something, which then sends the request again with its answers.

    Args:
        msg: the request.
        questions: by a key of the host's choosing, each made by `elicit` (or any input request as JSON).
        sealer: seals ``state`` into the answer, which then needs ``principal`` written out; see `Sealer.seal`.
        request_state: a finished token instead.
        server_info: the identity to name; ``None``: the policy's that `admit` was given.
        now: the time of the seal, Unix seconds; ``None``: the system's clock.

    Raises:
        Rejected: -32021, the client did not declare the capability that a question needs; nothing is lost if the
            host then serves the request without asking.
        ValueError: a method that cannot be answered so, an invalid question, neither a question nor a state.
        TypeError: ``sealer`` without ``state`` and ``principal``, or those without ``sealer``.
        OSError: the system gave no randomness; nothing was sealed.
    """

def error(msg: Message | None, code: int, message: str, data: Any = None) -> tuple[int, bytes]:
    """An error answer of the host's own: the HTTP status and the body.

    Args:
        msg: the request; ``None`` when there is none to name.
        code: the JSON-RPC code.
        message: a sentence for the peer; unpaired surrogates in it are replaced.
        data: a Python value, or bytes of JSON; ``None``: none.

    Raises:
        ValueError: not a request, a code that the specification reserves, or data that is not JSON.
    """

def resource_not_found(msg: Message) -> tuple[int, bytes]:
    """The error answer to a request for a resource that there is not, by the revision of ``msg``, with its URI: the HTTP
    status and the body. Like `error`, a message that is no request has no body."""

def elicit(message: str, schema: _Object) -> bytes:
    """A question to the person at the client, as JSON for `input_required`.

    Args:
        message: what to ask; unpaired surrogates in it are replaced.
        schema: the JSON Schema of the form, as the specification restricts it: an object of strings, numbers,
            booleans and selects. Constraints beyond that grammar are refused, since no client would keep to them.

    Raises:
        ValueError: not such a schema; the message names the property.
    """

def elicit_url(message: str, url: str) -> bytes:
    """A question that sends the person to a URL, for what must not pass through the client; JSON for
    `input_required`. That it is accepted means that the person agreed to open it, not that anything was done there.

    Raises:
        ValueError: ``url`` is no URI with a scheme.
    """

def sample(params: _Object) -> bytes:
    """A question to the client's model, as JSON for `input_required`: ``params`` are those of
    ``sampling/createMessage``, with at least ``messages`` and ``maxTokens``. (The specification deprecates sampling.)

    Raises:
        ValueError: not such parameters, or tool uses that the messages after them do not answer.
    """

def list_roots() -> bytes:
    """The question for the client's roots, as JSON for `input_required`. (The specification deprecates roots.)"""

def request(
    method: str,
    params: _Object | None = None,
    *,
    id: int | str,
    client_info: _Object | None = None,
    capabilities: _Object | None = None,
    tool_schema: _Object | ParamHeaders | None = None,
) -> tuple[dict[str, str], bytes]:
    """A request of 2026-07-28: the header fields to send over HTTP, and the body (over stdio, the line).

    Args:
        method: as `server/discover`; not one that 2026-07-28 removed.
        params: an object. Its ``_meta`` gets the version, the capabilities and ``client_info``.
        id: of at most 512 bytes, new for each request.
        client_info: who the client is: ``name`` and ``version``.
        capabilities: what the client can do; declared on each request anew.
        tool_schema: the ``inputSchema`` of the tool that is called, or what `param_headers` made of it, for the ``Mcp-Param-*``
            fields.

    Raises:
        ValueError: not the method of a request; a key in ``_meta`` that no sender may write, or one that is written here; an
            argument that no header can carry.
    """

def initialize(
    version: str, *, id: int | str, client_info: _Object, capabilities: _Object | None = None
) -> bytes:
    """``initialize``, the first request to a server of an earlier revision. After the answer, of which `Received.negotiated` tells the
    revision, ``notification("notifications/initialized")`` follows.

    Args:
        version: the newest revision before 2026-07-28 that the client speaks.

    Raises:
        ValueError: a modern version, or one that nobody knows.
    """

def read_result(body: Buffer) -> Received:
    """Reads what a server answered, of whichever era.

    Raises:
        Rejected: not one response by JSON-RPC; a ``resultType`` that is not known; ``input_required`` that cannot be answered. There is
            nothing to send: ``to_bytes()`` is empty.
    """

def retry(
    body_sent: Buffer,
    received: Received,
    responses: _Object,
    *,
    id: int | str,
    tool_schema: _Object | ParamHeaders | None = None,
) -> tuple[dict[str, str], bytes]:
    """The next leg of a request that was answered with ``input_required``: the same method and params, with the answers and the state
    of that answer alone.

    Args:
        body_sent: the body of the last leg.
        received: what came back for it.
        responses: one answer for each key of ``received.input_requests``, and no other.
        id: another one than the last.
        tool_schema: as for `request`.

    Raises:
        ValueError: the answer asks for nothing, or is another request's; an answer is missing or has the wrong shape; the id is that
            of the last leg.
    """

def probe(http_status: int | None, body: Buffer) -> Probe:
    """What the answer to the first request tells of a server: which era it belongs to, and which versions it serves.

    Args:
        http_status: None on stdio.
        body: empty on stdio: the server did not answer in time.
    """

@final
class Received:
    """One response of a server; made by `read_result`."""

    @property
    def id(self) -> int | str | None:
        """The id of the request that is answered; an error may have none."""
    @property
    def result_type(self) -> Literal["complete", "input_required", "task"] | None:
        """What kind of result it is; servers of earlier revisions send ``"complete"`` only. None for an error."""
    @property
    def result(self) -> dict[str, Any] | None:
        """The result, made on first use; None for an error."""
    @property
    def ttl_ms(self) -> int:
        """How long the result stays fresh, in milliseconds: 0 where it does not say, at most a day."""
    @property
    def deprecated(self) -> tuple[str, ...]:
        """The names of the deprecated features that the result asks for."""
    @property
    def cache_scope(self) -> Literal["public", "private"] | None:
        """Who may keep the result; private unless it says otherwise. None where it is not complete."""
    @property
    def input_requests(self) -> dict[str, Any] | None:
        """What is asked, by key."""
    @property
    def request_state(self) -> str | None:
        """The state that the next leg brings back."""
    @property
    def next_cursor(self) -> str | None:
        """Where a list goes on; None: it ends here. The empty string is a cursor."""
    @property
    def server_info(self) -> dict[str, Any] | None:
        """Who the server says it is."""
    @property
    def error(self) -> tuple[int, str, Any] | None:
        """Code, message and data of an error."""
    def fresh_until(self, body_sent: Buffer, received_at: _Seconds) -> float | None:
        """Until when the result may be used again for the same method and params, in the seconds of ``received_at``. None where it may
        not be kept: it is stale at once, has no such hints, or the request carried answers or a state."""
    def negotiated(self, versions: Iterable[str] | None = None) -> str | None:
        """Of the answer to `initialize`: the revision, if it is among ``versions`` (any earlier one unless told otherwise). None: hang
        up."""

@final
class Probe:
    """What the answer to the first request tells; made by `probe`."""

    @property
    def era(self) -> Literal["modern", "legacy", "unknown"]:
        """``"modern"``: choose a version. ``"legacy"``: send `initialize`. ``"unknown"``: the answer says nothing of it."""
    @property
    def versions(self) -> tuple[str, ...]:
        """The versions that the server says it serves."""
    def choose(self, versions: Iterable[str] | None = None) -> str | None:
        """The newest of ``versions`` (2026-07-28 unless told otherwise) that the server serves too."""

def notification(
    method: str, params: _Object | None = None, subscription_id: int | str | None = None
) -> bytes:
    """A notification, as bytes.

    Those that WireSeal knows are held to what their receiver needs; for progress, log messages and subscriptions there are
    `progress`, `log` and `Subscriptions`.

    Args:
        method: not that of a request.
        params: an object.
        subscription_id: the id of the ``subscriptions/listen`` request whose stream it is sent on.

    Raises:
        ValueError: the method of a request; params that the method cannot have, or a subscription it does not belong to; a key
            of the ``_meta`` that no sender may write.
    """

def progress(
    msg: Message, progress: float | bytes, total: float | bytes | None = None, message: str | None = None
) -> bytes | None:
    """How far a request has come: its ``notifications/progress``, to send on the request's own stream before its answer.

    Args:
        msg: the request.
        progress: a number, further each time; bytes are sent as they are written.
        total: how far there is to go.
        message: what to tell a person; not sent to clients of 2024-11-05, who do not know it.

    Returns:
        The bytes; None where the request did not ask for progress.

    Raises:
        ValueError: no further than before, not a number, or not a request.
    """

def log(msg: Message, level: _Level, data: Any, logger: str | None = None) -> bytes | None:
    """A ``notifications/message`` that helps to serve a request, to send on the request's own stream before its answer.

    Args:
        msg: the request.
        level: how severe it is.
        data: any JSON value, or bytes of JSON. No secrets, no personal data.
        logger: the part of the server that speaks.

    Returns:
        The bytes; None unless the request set a level, and this one is at or above it. To a legacy request it is always
        written: there the level is the session's, which the host keeps.

    Raises:
        ValueError: no such level, not JSON, or not a request.
    """

@final
class Subscriptions:
    """The open ``subscriptions/listen`` requests of a server, and what each of them is told. May be shared by threads.

    Each is known by its admitted message: ids are unique per connection only. Everything goes on the stream that answers that
    request, the acknowledgement first.

    Args:
        tools, prompts, resources: whether clients can hear that these lists have changed.
        updates: whether they can hear that a resource has.
        max_open: how many can be open at once.
    """

    def __new__(
        cls,
        *,
        tools: bool = False,
        prompts: bool = False,
        resources: bool = False,
        updates: bool = False,
        max_open: int = 1024,
    ) -> Subscriptions: ...
    def __len__(self) -> int: ...
    def acknowledge(self, msg: Message) -> bytes:
        """Opens a subscription: ``notifications/subscriptions/acknowledged``, the first message of its stream, with what of
        it is honoured.

        Raises:
            Rejected: a filter that is none (``listen-filter``), too many open ones (``subscriptions-full``), the same message
                again (``duplicate-id``).
            ValueError: not a ``subscriptions/listen`` request.
        """
    def changed(self, list: Literal["tools", "prompts", "resources"]) -> list[tuple[Message, bytes]]:
        """Whom to tell that a list has changed, and what."""
    def updated(self, uri: str) -> list[tuple[Message, bytes]]:
        """Whom to tell that a resource has changed, and what: those who watch it, or something that it is below."""
    def end(self, msg: Message, *, server_info: _Object | None = None) -> bytes | None:
        """The answer by which the server ends a subscription; the stream is closed after it. None where it is not open."""
    def discard(self, msg: Message) -> bool:
        """Forgets a subscription whose stream the client has closed. Says whether it was open."""
    def cancel(self, request_id: int | str) -> bool:
        """On stdio: forgets the subscription that a ``notifications/cancelled`` names; nothing is answered to it. Over HTTP
        another client may use the same id: there the end of the stream is what counts. Says whether it was open."""

def check_elicitation(requested_schema: _Object, content: _Object, *, msg: Message | None = None) -> None:
    """Checks the ``content`` of an accepted elicitation against the schema that was asked with: types, required
    members, lengths in code points, formats, exact bounds, options. A member that the schema does not name passes,
    unless the schema says ``"additionalProperties": false``.

    Args:
        msg: the request whose id the refusal's answer carries.

    Raises:
        Rejected: the content does not fit; ``member`` names what does not, ``reason`` begins with ``form-``.
        ValueError: ``requested_schema`` is not the schema of a form.
    """

def check_input_responses(
    requests: _Object, responses: _Object | None, *, msg: Message | None = None
) -> tuple[list[str], dict[str, Rejected]]:
    """Compares the answers of a retry with the questions that were asked.

    Args:
        requests: key to question, as given to `input_required`. Take it from what the host sealed or knows, never
            from the client.
        responses: ``msg.input_responses``; None stands for no answers.
        msg: the request whose id the refusals' answers carry.

    Returns:
        The keys to ask again, which have no answer or were accepted without the content that the form requires; and
        the invalid answers, key to refusal. Declined and cancelled questions are in neither. Answers to nothing that
        was asked are ignored.

    Raises:
        ValueError: ``requests`` holds what is not a question.
    """

def header_encode(text: str, /) -> str:
    """The value of ``Mcp-Name`` or ``Mcp-Param-*`` for a text: as it is, or in the ``=?base64?...?=`` form where it
    holds anything but visible ASCII and inner spaces, or looks like that form.

    Raises:
        ValueError: the text has an unpaired surrogate.
    """

def header_decode(value: str, /) -> str | None:
    """The text that a value of ``Mcp-Name`` or ``Mcp-Param-*`` stands for, blanks at its ends taken off; ``None`` for
    a broken one: a character that is not visible ASCII, space or tab, or Base64 that is not canonical or not UTF-8.
    """

@final
class LineFramer:
    """Cuts what is read from stdio, or any other stream of bytes, into lines: one message each, for `admit`.

    What comes out depends on the bytes alone, never on where the chunks were cut. Only the byte 0x0A ends a line; one CR
    before it is taken off, lines of nothing but white space are skipped, and so is a byte order mark at the start of the
    stream. Memory grows with the line that has not ended yet, up to ``max_bytes``. May be used from several threads.

    Args:
        max_bytes: the longest line, in bytes, its end not counted. Best the policy's.

    Raises:
        ValueError: ``max_bytes`` is not from 1 to 2147483647.
    """

    def __new__(cls, max_bytes: int = 4194304) -> LineFramer: ...
    def feed(self, chunk: Buffer) -> list[bytes | Rejected]:
        """The lines that end in this chunk, in order, without their ends.

        A line that is too long is a `Rejected` (``body-too-large``) in the list, once and as soon as that is known;
        so is a later line that begins with a byte order mark (``invalid-json``). They are not raised, and the lines
        around them are there. A server may send their ``to_bytes()``; a client sends nothing.

        Raises:
            TypeError: not bytes or another buffer.
        """
    def finish(self) -> Rejected | None:
        """Call it at the end of the stream: a `Rejected` (``incomplete``) when the last line has no end, so that it is
        no message, whatever it looks like; otherwise ``None``. Nothing is sent for it. The framer can then be used for
        another stream.
        """

@final
class SseReader:
    """Reads the messages out of a stream of server-sent events.

    What comes out depends on the bytes alone, never on where the chunks were cut. Comments are ignored; events of another
    type than ``message``, and those without data, are skipped. Memory grows with the event that has not ended yet, up
    to ``max_bytes``. May be used from several threads.

    Args:
        max_bytes: the longest data of one event, in bytes.

    Raises:
        ValueError: ``max_bytes`` is not from 1 to 2147483647.
    """

    def __new__(cls, max_bytes: int = 4194304) -> SseReader: ...
    def feed(self, chunk: Buffer) -> list[bytes | Rejected]:
        """The messages that end in this chunk, in order.

        An event whose data is too long is a `Rejected` (``body-too-large``) in the list, once and as soon as that is
        known. It is not raised, and the events around it are there. Nothing is sent for it.

        Raises:
            TypeError: not bytes or another buffer.
        """
    def finish(self) -> Rejected | None:
        """Call it at the end of the stream: a `Rejected` (``incomplete``) when it stopped inside a message; otherwise
        ``None``. ``last_event_id`` and ``retry`` stay, and the reader can be used for the next connection.
        """
    @property
    def last_event_id(self) -> str | None:
        """What ``Last-Event-ID`` names when a client of a legacy revision connects again; ``None``: there is nothing to
        go on from. An id that is not UTF-8 or longer than 256 bytes is not kept, nor is the one before it."""
    @property
    def retry(self) -> int | None:
        """How long to wait before connecting again, in milliseconds, as the server asked; at most 2**64 - 1."""

def sse_event(
    message: Buffer | str,
    *,
    event: str | None = None,
    id: str | None = None,
    retry: int | None = None,
) -> bytes:
    """One server-sent event, ready to be sent. In 2026-07-28 an event has a message and nothing else.

    Args:
        message: usually one JSON text, such as `complete` returns. Line ends in it arrive as LF.
        event: the type, where it is no message: ``"endpoint"`` in 2024-11-05.
        id: what a client of a legacy revision names to resume after this event. With an empty ``message`` it is the event
            that a 2025-11-25 stream starts with. At most 256 bytes of UTF-8.
        retry: how long clients should wait before they connect again, in milliseconds.

    Raises:
        ValueError: ``event`` or ``id`` with a CR, LF or NUL, or an ``id`` that is too long; a message that is not UTF-8;
            ``retry`` out of range.
        TypeError: an argument of the wrong type.
    """

def sse_comment(text: str = "") -> bytes:
    """A comment, which every reader ignores: send it to keep a connection alive, never an event.

    Raises:
        ValueError: an unpaired surrogate.
    """

def admit_batch(
    body: Buffer,
    headers: _HasItems | Iterable[_Pair] | None = None,
    policy: Policy | None = None,
    *,
    http_method: str = "POST",
    legacy_version: str | None = None,
) -> list[Message | Rejected]:
    """Judges a batch, which 2025-03-26 alone has: an array of requests and notifications, or of responses.

    `batch_answer` puts its answer together. `admit` refuses an array with the reason ``batch``.

    Args:
        legacy_version: the revision of the session; without it, and without a version header, a sender over HTTP is
            taken for one of 2025-03-26.

    Returns:
        What each entry is, in order: a message, or the refusal of that entry alone. At most 64.

    Raises:
        Rejected: the batch as a whole: no JSON, no array, empty, too long, requests and responses mixed, or a sender
            or a policy that does not know batches.
    """

def batch_answer(answers: Iterable[bytes], *, refused: bool = False) -> tuple[int, bytes]:
    """The answer to a batch, an array: the HTTP status and the body, which is empty where there is nothing to answer.

    Args:
        answers: the answers to its requests, and the ``to_bytes()`` of what was refused, in any order; empty ones are left
            out.
        refused: whether an entry was refused without an answer, as a notification is. Where nothing else is said either,
            the status then tells: 400, not 202.
    """

def session_id(
    headers: _HasItems | Iterable[_Pair], *, msg: Message | None = None, batch: bool = False
) -> str:
    """The ``Mcp-Session-Id`` of a legacy request, for a server that gave one out. Whether the session is alive is for
    the host to find out; where it is not, answer with `session_not_found`. A refusal answers ``msg``, or the whole of a
    ``batch``.

    Raises:
        Rejected: it is missing, malformed, or there twice.
    """

def session_not_found(msg: Message | None = None, *, batch: bool = False) -> Rejected:
    """The refusal, with status 404, for a session that is not alive: the client then begins a new one. It answers
    ``msg``, or the whole of a ``batch``."""

def admit_stream(
    http_method: str, headers: _HasItems | Iterable[_Pair], policy: Policy
) -> tuple[Literal["listen", "end"], str | None]:
    """Judges a GET or DELETE of a legacy client over HTTP, but for its session id.

    Returns:
        ``("listen", last_event_id)`` for a GET that asks for the server's own messages: 405 is the answer of a server
        that has no such stream. ``("end", None)`` for a DELETE that ends the session.

    Raises:
        Rejected: the method, origin, host, version or ``Accept``, or no legacy revision is served.
    """

@final
class LegacyEvent:
    """What a message means for its `LegacySession`."""

    @property
    def kind(
        self,
    ) -> Literal[
        "initialize", "initialized", "ping", "request", "notification", "cancelled", "answered", "ignored"
    ]:
        """``initialize`` and ``ping`` come with their ``reply``. ``request`` is to be served. ``cancelled``: do not
        answer ``cancelled_id`` any more. ``answered``: a request of the server's own. ``ignored``: nothing."""

    @property
    def reply(self) -> bytes | None:
        """The answer, where the session can write it."""

    @property
    def request_id(self) -> int | None:
        """Which request of the server's was answered."""

    @property
    def method(self) -> str | None:
        """The method of that request."""

    @property
    def result(self) -> Any:
        """Its ``result``; None where it failed."""

    @property
    def error(self) -> Any:
        """Its ``error``: a dict with ``code`` and ``message``; None where it did not fail."""

    @property
    def cancelled_id(self) -> int | str | None:
        """The client's request that is given up."""

@final
class LegacySession:
    """One session of a client of the handshake era: without sockets, without threads; any thread may use it.

    On stdio a connection is a session. On HTTP keep one for each ``Mcp-Session-Id`` that is alive, and give
    ``session.version`` to `admit` as ``legacy_version``.

    Args:
        server_info: the server's ``Implementation``; the policy's where absent.
        capabilities: the server's capabilities, an object of objects.
        instructions: how to use the server, for a model.
        session_id: the id that the answer to ``initialize`` gives out: visible ASCII, and beyond guessing.

    Raises:
        ValueError: what the session was given cannot be sent.
    """

    def __new__(
        cls,
        policy: Policy,
        *,
        server_info: _Object | None = None,
        capabilities: _Object | None = None,
        instructions: str | None = None,
        session_id: str | None = None,
    ) -> LegacySession: ...
    @property
    def session_id(self) -> str | None:
        """As given."""

    @property
    def version(self) -> str | None:
        """The revision that the handshake settled on; None before it."""

    @property
    def state(self) -> Literal["new", "initializing", "ready"]:
        """``ready`` from the client's ``notifications/initialized`` on."""

    @property
    def client_info(self) -> Any:
        """Who the client says it is, a dict; None before the handshake. Nothing has verified it."""

    @property
    def client_capabilities(self) -> Any:
        """What the client can do, a dict; None before the handshake."""

    def receive(self, msg: Message) -> LegacyEvent:
        """Takes in one admitted message.

        Raises:
            Rejected: out of order: a request before ``initialize``, a second ``initialize``, a modern request; or what
                Python cannot read: an integer of too many digits (``number-too-large``). The session is then as it was.
        """

    def request(self, question: _Object, *, during: Message) -> tuple[int, bytes]:
        """A request to the client, to send on the stream of ``during``, the client's request that it helps to serve.

        Args:
            question: as for `input_required`: what `elicit`, `elicit_url`, `sample` or `list_roots` gives. A client of
                2025-11-25 gets an ``elicitationId`` with a URL: the question's own, else one that is new in this session.

        Returns:
            Its id, which the event of its answer names, and the bytes.

        Raises:
            Rejected: the client did not declare what it needs, or its revision does not know it (``client-cannot``); or it
                has not sent ``notifications/initialized`` yet (``not-initialized``).
            ValueError: 64 requests are waiting; not a question; or an ``elicitationId`` that is one of the last 64 of this
                session, or digits alone, which are those that the session gives out itself.
        """

    def ping(self) -> tuple[int, bytes]:
        """A ``ping`` to the client, which may be sent at any time: its id, and the bytes.

        Raises:
            ValueError: 64 requests are waiting.
        """

    def cancel(self, request_id: int, reason: str | None = None) -> bytes | None:
        """``notifications/cancelled`` for a request of the server's, which is then forgotten; None where it is not
        waiting any more."""
