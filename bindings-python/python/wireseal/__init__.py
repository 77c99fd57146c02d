"""WireSeal: the protocol core of an MCP 2026-07-28 server.

Bytes in, verdict out (:func:`admit`); state in, sealed token out (:class:`Sealer`); answers as bytes
(:func:`complete`, :func:`input_required`, :func:`error`); messages out of a stream (:class:`LineFramer`,
:class:`SseReader`). It owns no socket, no clock but the system's when none is
given, and no thread; every object may be used from several threads at once.

The peer's faults raise :class:`Rejected`, which carries the answer; the host's raise ``ValueError`` or ``TypeError``.
"""

from ._native import (
    REASONS,
    LegacyEvent,
    LegacySession,
    LineFramer,
    Message,
    Opened,
    ParamHeaders,
    Policy,
    Sealer,
    SseReader,
    Subscriptions,
    __version__,
    admit,
    admit_batch,
    admit_stream,
    check_elicitation,
    check_input_responses,
    complete,
    elicit,
    elicit_url,
    error,
    header_decode,
    header_encode,
    input_required,
    list_roots,
    log,
    notification,
    param_headers,
    progress,
    sample,
    session_id,
    session_not_found,
    sse_comment,
    sse_event,
)
from ._codec import RequestStateCodec
from ._once import NothingHappened, Once
from ._redis_once import RedisOnce
from ._rejected import Rejected

__all__ = [
    "REASONS",
    "LegacyEvent",
    "LegacySession",
    "LineFramer",
    "Message",
    "NothingHappened",
    "Once",
    "Opened",
    "ParamHeaders",
    "Policy",
    "RedisOnce",
    "Rejected",
    "RequestStateCodec",
    "Sealer",
    "SseReader",
    "Subscriptions",
    "__version__",
    "admit",
    "admit_batch",
    "admit_stream",
    "check_elicitation",
    "check_input_responses",
    "complete",
    "elicit",
    "elicit_url",
    "error",
    "header_decode",
    "header_encode",
    "input_required",
    "list_roots",
    "log",
    "notification",
    "param_headers",
    "progress",
    "sample",
    "session_id",
    "session_not_found",
    "sse_comment",
    "sse_event",
]
