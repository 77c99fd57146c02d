"""Every kind of disagreement with an official SDK, and who follows the specification in it.

The first kind that fits names a disagreement. One that fits none is an error of the comparison, of an SDK, or ours.
"""

from __future__ import annotations

from dataclasses import dataclass

REFUSED = "refused"
PASSED = ("modern", "legacy", "accepted")


@dataclass(frozen=True)
class Found:
    """One disagreement: which SDK, what we said and why, what it said, and what was done to the request."""

    sdk: str
    ours: tuple[str, int | None]
    reason: str
    theirs: tuple[str, int | None]
    faults: tuple[str, ...]


@dataclass(frozen=True)
class Kind:
    """What its fields name must all fit; an empty one fits anything."""

    name: str
    what: str
    follows: str
    sdk: str = ""
    reasons: tuple[str, ...] = ()
    passed: bool | None = None  # whether the SDK let the message pass
    codes: tuple[int, ...] = ()  # or with which codes it refused it
    faults: tuple[str, ...] = ()
    many: bool = False  # only where more than one thing is wrong
    ours: tuple[str, ...] = ()
    outcome: str = ""  # the SDK's

    def fits(self, found: Found) -> bool:
        return (
            self.sdk in ("", found.sdk)
            and (not self.reasons or found.reason in self.reasons)
            and self.passed in (None, found.theirs[0] in PASSED)
            and (not self.codes or found.theirs[1] in self.codes)
            and (not self.faults or any(fault in found.faults for fault in self.faults))
            and (not self.many or len(found.faults) > 1)
            and (not self.ours or found.ours[0] in self.ours)
            and self.outcome in ("", found.theirs[0])
        )


OURS, BOTH, OPEN, THEIRS = "WireSeal", "both", "open", "the SDK"
KINDS = (
    # Notifications.
    Kind("notification-answered", "A faulty notification: we drop it without a message (status 400 on HTTP, with an empty body), the SDK answers an error without an id.", f"{OURS}: JSON-RPC 2.0, 4.1 allows no answer", ours=("dropped",), passed=False),
    Kind("notification-taken", "A faulty notification, or one whose headers differ from it or name nothing that is served: we drop it, the SDK acknowledges and drops it.", f"{OPEN}: the specification leaves the headers of notifications undefined", ours=("dropped",), passed=True),
    # Bytes.
    Kind("python-json", "`NaN`, `Infinity`: Python's reader takes them for JSON.", f"{OURS}: RFC 8259", sdk="python", reasons=("invalid-json",), passed=True),
    Kind("duplicate-member", "A member twice: the SDK's reader keeps the last one, and no longer knows.", f"{OURS}: RFC 8259, 4 leaves it open, and two readers of one message may then see two messages", reasons=("duplicate-member",), passed=True),
    Kind("duplicate-member-legacy", "The same on a request that the SDK then refuses for its era.", OURS, sdk="typescript", reasons=("duplicate-member",), codes=(-32022,)),
    # Shape.
    Kind("result-in-request", "`method` together with `result` or `error`: the SDK's model of a request has no place for them and passes over them.", f"{OURS}: basic, \"Messages\" knows no such message", sdk="python", reasons=("ambiguous-kind",), passed=True),
    Kind("id-1.0", "The id `1.0`: JavaScript cannot tell it from `1`. We refuse it, since peers disagree on how to echo it.", f"{OPEN}: JSON Schema counts it as an integer", sdk="typescript", reasons=("invalid-id", "invalid-response"), faults=("id-integral-float",)),
    Kind("id-large", "An integer id beyond 2^53 - 1: refused by the SDK, echoed digit for digit by us.", f"{OURS}: basic, \"Requests\" sets no bound", sdk="typescript", codes=(-32600,), faults=("id-large",)),
    Kind("extra-member", "A member of the envelope that JSON-RPC does not name: refused by the SDK, without effect with us.", f"{OURS}: the schema's objects are open", sdk="typescript", codes=(-32600,), faults=("extra-member",)),
    Kind("params-null", "`params` null or an array: a malformed request for us, a missing `_meta` for the SDK.", f"{BOTH}: basic, \"Requests\" and \"_meta\" both forbid it", sdk="python", reasons=("params-not-object",), codes=(-32602,)),
    Kind("model-first", "The SDK validates the whole envelope with the types of `_meta` first: what we call -32602, or judge by its era or headers, is -32600 there.", f"{OURS}: basic, \"_meta\" names -32602 for the required fields", sdk="typescript", codes=(-32600,), faults=("progress-token-broken", "meta-type", "capability-type", "method-type", "response", "result-member", "method-absent")),
    # HTTP.
    Kind("content-type-code", "A `Content-Type` that is no JSON: 415 with both, with -32000 in the SDK's body and -32600 in ours.", f"{OPEN}: no code is set", sdk="typescript", reasons=("content-type",), codes=(-32000,)),
    Kind("content-type-elsewhere", "A `Content-Type` that is no JSON: not the classifier's business in the SDK, whose transport checks it elsewhere.", BOTH, reasons=("content-type",)),
    Kind("accept", "`Accept` without `text/event-stream`: the SDK's classifier, or its JSON mode, does not ask for it.", f"{OPEN}: clients must name both types; what a server does is not said", reasons=("not-acceptable",)),
    Kind("duplicate-header", "A routing header twice: the fetch API joins the copies, so that the SDK cannot see them, or sees a value that matches nothing.", f"{OURS}: readers of the first and of the last copy disagree", sdk="typescript", reasons=("duplicate-header",)),
    # Era.
    Kind("python-routes", "A missing or legacy version header sends the message to the SDK's legacy transport, whatever its `_meta` claims; what that makes of it is not compared.", f"{OURS}: streamable-http, \"Server Validation\" wants -32020 for a claim without the header", sdk="python", outcome="legacy"),
    Kind("initialize-modern-header", "`initialize` under a modern version header: -32022 with the versions served from us, since its sender is a legacy client that has to learn them.", f"{OPEN}: versioning wants 400, and names no code", reasons=("legacy-not-served",), codes=(-32602, -32020)),
    Kind("unknown-header-legacy", "A version header that names no known revision: the SDK counts it as legacy, we as modern, since no legacy revision will be added.", f"{OPEN}", sdk="typescript", reasons=("legacy-not-served", "meta-not-object", "meta-version-missing"), faults=("version-header-unknown",)),
    Kind("no-version-at-all", "Neither header nor claim at a server without legacy peers: -32020 from us, -32022 from the SDK; both name the versions served.", f"{OPEN}: streamable-http makes a missing header -32020", sdk="typescript", reasons=("version-header-missing",), codes=(-32022,)),
    Kind("claim-before-header", "A claim that is no string, or names no modern revision, with a header that is missing or legacy: we report the header, the SDK the claim, or takes it for legacy.", f"{OURS}: streamable-http, \"Server Validation\"", sdk="typescript", reasons=("version-header-missing", "era-mismatch", "version-mismatch")),
    Kind("initialize-with-claim", "`initialize` with an incomplete claim: the claim counts for us, the method for the SDK.", f"{OPEN}", sdk="typescript", reasons=("meta-capabilities-missing", "meta-version-not-string", "meta-capabilities-not-object"), faults=("meta-version-other",)),
    Kind("legacy-headers", "A legacy request whose `Mcp-Method` differs from its body: refused by us, since a gateway may have routed on it.", f"{OPEN}: legacy revisions have no such header", sdk="typescript", reasons=("method-mismatch", "name-mismatch", "header-value"), passed=True),
    Kind("legacy-batch", "An array of legacy messages: passed on by the SDK in every revision. We take them by `admit_batch`, for 2025-03-26 only.", f"{OURS}: only that revision has batches", sdk="typescript", reasons=("batch",), passed=True),
    Kind("response-under-modern-header", "A posted response under a modern or unknown version header: legacy traffic for the SDK.", f"{OURS}: streamable-http, \"Sending Messages\" forbids it", sdk="typescript", reasons=("unexpected-response",), passed=True),
    Kind("legacy-message", "Legacy notifications and responses: accepted by us, routed to its legacy transport by the SDK.", BOTH, sdk="typescript", ours=("accepted",), passed=True),
    Kind("legacy-params", "A legacy request without the name or uri that its method needs: we refuse it here, the SDK in its handler.", BOTH, sdk="typescript", reasons=("name-not-string", "uri-not-string", "arguments-not-object", "progress-token", "meta-not-object"), passed=True, ours=("refused",), faults=()),
    # Types.
    Kind("python-order", "A claim that is no string, or a name that is none, under headers: the SDK compares the header first.", f"{OPEN}: no order is set", sdk="python", reasons=("meta-version-not-string", "name-not-string"), codes=(-32020,)),
    Kind("null-client-info", "`clientInfo` null: absent for us, invalid for the SDK.", f"{OPEN}: the schema has no null; languages write absent members so", sdk="typescript", codes=(-32602,), faults=("client-info-null",)),
    Kind("later-checks", "A type that we check on admission is left to the handler, or not checked at all: capabilities, `clientInfo`, `logLevel`, `progressToken`, names, `arguments`, `requestState`, `inputResponses`.", f"{OURS}: basic, \"_meta\" and the schema fix these types", reasons=("meta-capabilities-not-object", "capability-not-object", "client-info", "log-level", "progress-token", "name-not-string", "uri-not-string", "arguments-not-object", "request-state-not-string", "input-responses-not-object"), passed=True),
    # Two things wrong at once.
    Kind("order", "Two things are wrong, and another one is reported first.", f"{OPEN}: the specification sets no order", many=True, passed=False, ours=("refused",)),
)


def kind_of(found: Found) -> Kind | None:
    """The first kind that fits."""
    return next((kind for kind in KINDS if kind.fits(found)), None)
