"""Writes tests/vectors/seal.json, canonical.json, nonce.json, param.json and stream.json from the reference beside this file.

    python tests/reference/make_vectors.py              write them
    python tests/reference/make_vectors.py --check      exit 1 if they differ from what would be written

Needs `cryptography`. Every case says whether it opens or what refuses it; the reference must agree.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import compact
import python_token
import stream_cases
from cases import (
    BOTH,
    CALL,
    DESK,
    FRESH,
    LIFE,
    NOW,
    OTHER,
    PYTHON,
    SECRET,
    STATE,
    Case,
    Cases,
    canonical_case,
    escaped,
    new_case,
    open_case,
    seal_case,
)
from common import (
    MAX_CONTEXT_BYTES,
    MAX_LIFETIME_MS,
    MAX_TIME_MS,
    MIN_TIME_MS,
    Binding,
    b64u,
    b64u_decode,
    seal_envelope,
)
from nonce_cases import nonce_cases
from param_cases import param_cases
from sealer import Sealer

VECTORS = Path(__file__).resolve().parents[1] / "vectors"


# seal.json


def new_cases(add: Callable[[str, str, Case], None]) -> None:
    add("RS-14/31-bytes", "a secret one byte too short", new_case(keys=(bytes(31),)))
    add("RS-14/32-bytes", "the shortest secret", new_case(keys=(bytes(32),)))
    add("RS-14/1024-bytes", "the longest secret", new_case(keys=(bytes(1024),)))
    add("RS-14/1025-bytes", "a secret one byte too long", new_case(keys=(bytes(1025),)))
    add("RS-14/short-second", "every key of the ring counts", new_case(keys=(SECRET, b"short")))
    add("RS-15/no-keys", "a ring needs a key", new_case(keys=()))
    many = tuple(bytes([i]) * 32 for i in range(17))
    add("RS-15/16-keys", "the longest ring", new_case(keys=many[:16]))
    add("RS-15/17-keys", "a ring one key too long", new_case(keys=many))
    add("RS-15/equal-keys", "two keys with one id", new_case(keys=(SECRET, OTHER, SECRET)))
    add("RS-06/lifetime-0", "a token must live", new_case(lifetime_ms=0))
    add("RS-06/lifetime-1", "the shortest life", new_case(lifetime_ms=1))
    add("RS-06/lifetime-12-days", "the longest life", new_case(lifetime_ms=MAX_LIFETIME_MS))
    add("RS-06/lifetime-beyond", "a life one millisecond too long", new_case(lifetime_ms=MAX_LIFETIME_MS + 1))
    add("RS-18/audience-4096", "the longest audience, in bytes of UTF-8", new_case(audience="é" * 2048))
    add("RS-18/audience-4097", "an audience one byte too long", new_case(audience="é" * 2048 + "x"))


def seal_cases(add: Callable[[str, str, Case], None]) -> None:
    bare = Sealer((SECRET,), None, LIFE, "compact")
    nothing = Binding("server/discover", None, None, None)
    empty = Binding("", "", "{}", "")
    for sealer, name in ((DESK, "compact"), (PYTHON, "python")):
        alone = replace(bare, format=name)
        add(f"RS-22/{name}-bare", "nothing bound but the method, no state", seal_case(alone, nothing, b""))
        add(f"RS-22/{name}-typical", "a tool call with everything bound", seal_case(sealer, CALL))
        add(
            f"RS-22/{name}-all-empty",
            "empty differs from absent",
            seal_case(replace(alone, audience=""), empty, b""),
        )
        add(
            f"RS-22/{name}-resource",
            "a resource by its URI",
            seal_case(sealer, Binding("resources/read", "rooms://all", None, None)),
        )
        add(
            f"RS-22/{name}-prompt",
            "a prompt",
            seal_case(sealer, Binding("prompts/get", "welcome", '{"lang":"de"}', None)),
        )
        unicode = Binding("tools/call", 'büch\U0001f511\n"\\\x7f', '{"ä\u2028":"\U0001f600"}', "Zoë\t\x00")
        add(
            f"RS-22/{name}-unicode",
            "texts beyond ASCII, and control characters",
            seal_case(sealer, unicode, "żółć \U0001f600\x01\x1f\b\f\r/".encode()),
        )
        for size in (1, 2, 3, 47, 48, 49, 500):
            add(f"RS-22/{name}-state-{size}", "every remainder of base64url", seal_case(sealer, CALL, b"x" * size))
        for now, word in ((MIN_TIME_MS, "earliest"), (MAX_TIME_MS, "latest")):
            add(f"RS-06/{name}-{word}", "a time at the edge of what is believed", seal_case(sealer, CALL, now_ms=now))
        for now, word in (
            (0, "zero"),
            (MIN_TIME_MS - 1, "too-early"),
            (MAX_TIME_MS + 1, "too-late"),
            (NOW * 1000, "microseconds"),
        ):
            add(f"RS-06/{name}-{word}", "a time that no clock can mean", seal_case(sealer, CALL, now_ms=now))
        for ms in (0, 1, 10, 100, 120, 999):
            now = NOW - NOW % 1000 + ms
            add(f"RS-06/{name}-ms-{ms}", "milliseconds in the claims", seal_case(sealer, CALL, now_ms=now))
        for lifetime, word in ((1, "shortest"), (MAX_LIFETIME_MS, "longest")):
            add(
                f"RS-06/{name}-{word}-life",
                "a life at the edge",
                seal_case(replace(sealer, lifetime_ms=lifetime), CALL),
            )
        add(
            f"RS-05/{name}-principal-4096",
            "the longest principal",
            seal_case(sealer, replace(CALL, principal="p" * MAX_CONTEXT_BYTES)),
        )
        add(
            f"RS-05/{name}-principal-4097",
            "a principal one byte too long",
            seal_case(sealer, replace(CALL, principal="p" * (MAX_CONTEXT_BYTES + 1))),
        )
        add(
            f"RS-15/{name}-first-seals",
            "of a ring the first key seals",
            seal_case(replace(sealer, keys=(OTHER, SECRET)), CALL),
        )
        add(
            f"RS-17/{name}-other-nonce",
            "the nonce is the first twelve random bytes",
            seal_case(sealer, CALL, fresh=b"\xff" * 12 + FRESH[12:]),
        )
        add(
            f"RS-05/{name}-other-salt",
            "the salt is the other eight",
            seal_case(sealer, CALL, fresh=FRESH[:12] + b"\xff" * 8),
        )
        surrogate = replace(CALL, target="a\ud800b", arguments='{"a":"\\udc00"}')
        add(
            f"RS-12/{name}-lone-surrogate",
            "a surrogate without its pair in what is bound",
            seal_case(sealer, surrogate),
        )
        add(
            f"RS-13/{name}-exponent",
            "a number beyond the digest's limit",
            seal_case(sealer, replace(CALL, arguments='{"a":1e1000001}')),
        )
    add("RS-22/compact-bytes", "the compact token carries any bytes", seal_case(DESK, CALL, bytes(range(256))))
    add("RS-22/python-bytes", "the python token carries text only", seal_case(PYTHON, CALL, b"\xff"))
    add("RS-22/python-surrogate-state", "UTF-8 has no surrogates", seal_case(PYTHON, CALL, b"\xed\xa0\x80"))
    add(
        "RS-13/python-4300-digits",
        "the longest integer that Python reads",
        seal_case(PYTHON, replace(CALL, arguments=f'{{"a":{"9" * 4300}}}')),
    )
    add(
        "RS-13/python-4301-digits",
        "an integer one digit too long for Python",
        seal_case(PYTHON, replace(CALL, arguments=f'{{"a":-{"9" * 4301}}}')),
    )
    add(
        "RS-13/compact-4301-digits",
        "the compact token binds it exactly",
        seal_case(DESK, replace(CALL, arguments=f'{{"a":-{"9" * 4301}}}')),
    )


def open_cases(add: Callable[[str, str, Case], None]) -> None:
    for sealer, name in ((DESK, "compact"), (PYTHON, "python")):
        token = sealer.seal(CALL, STATE, NOW, FRESH)
        raw = b64u_decode(token[3:])
        prefix = token[:3]

        def opens(id: str, why: str, *given: Any, token: str = token, sealer: Sealer = sealer, **more: Any) -> None:
            rule, word = id.split("/")
            add(f"{rule}/{name}-{word}", why, open_case(sealer, token, *given, **more))

        def resealed(sealer: Sealer = sealer, binding: Binding = CALL, **more: Any) -> str:
            return sealer.seal(binding, **{"state": STATE, "now_ms": NOW, "random": FRESH, **more})

        opens("RS-22/opens", "sealed and opened")
        opens("RS-22/opens-empty-state", "no state at all", token=resealed(state=b""))
        opens("RS-22/opens-500", "a longer state", token=resealed(state=b"y" * 500))
        opens(
            "RS-22/opens-unicode",
            "a state beyond ASCII",
            token=resealed(state='"\\/\b\f\n\r\t\x01\x7f żółć \u2028 \U0001f600'.encode()),
        )
        if name == "compact":
            opens("RS-22/opens-bytes", "any bytes", token=resealed(state=bytes(range(256))))

        # Times: the last millisecond, the first too late, and the skew on the other side.
        opens("RS-06/last-millisecond", "one before the end", now_ms=NOW + LIFE - 1)
        opens("RS-06/expired", "at the end", now_ms=NOW + LIFE, reason="state-expired")
        opens("RS-06/expired-after", "one after the end", now_ms=NOW + LIFE + 1, reason="state-expired")
        opens("RS-20/skew-59999", "one less than the skew ahead", now_ms=NOW - 59_999)
        opens("RS-20/skew-60000", "the skew ahead", now_ms=NOW - 60_000)
        opens("RS-20/skew-60001", "one more than the skew ahead", now_ms=NOW - 60_001, reason="state-future")
        brief = replace(sealer, lifetime_ms=1)
        opens("RS-06/brief", "alive in its one millisecond", token=resealed(brief))
        opens(
            "RS-06/brief-expired", "and not in the next", token=resealed(brief), now_ms=NOW + 1, reason="state-expired"
        )
        opens(
            "RS-06/other-lifetime",
            "the life is the token's, not the sealer's",
            token=resealed(brief),
            sealer=replace(sealer, lifetime_ms=LIFE),
            now_ms=NOW + 1,
            reason="state-expired",
        )
        opens("RS-06/implausible-now", "a clock that was never set", now_ms=0, misuse="ImplausibleTime")

        # The ring.
        ring = replace(sealer, keys=(OTHER, SECRET))
        opens("RS-15/second-key-opens", "every key of the ring opens", sealer=ring)
        opens(
            "RS-15/unknown-key",
            "no key of the ring has the id",
            sealer=replace(sealer, keys=(OTHER,)),
            reason="state-unknown-key",
        )
        other = replace(sealer, keys=(OTHER,)).seal(CALL, STATE, NOW, FRESH)
        moved = prefix + b64u(b64u_decode(other[3:])[:4] + raw[4:])
        opens("RS-16/other-key-id", "the key id is authenticated", token=moved, sealer=ring, reason="state-tampered")

        # The bytes.
        for at, word in (
            (0, "key-id"),
            (4, "nonce"),
            (16, "first-byte"),
            (len(raw) - 17, "last-byte"),
            (len(raw) - 1, "tag"),
        ):
            flipped = bytes(byte ^ 1 if place == at else byte for place, byte in enumerate(raw))
            reason: str | None = "state-unknown-key" if at < 4 else "state-tampered"
            opens(f"RS-17/flipped-{word}", "one bit changed", token=prefix + b64u(flipped), reason=reason)
        opens("RS-17/cut", "the last byte is missing", token=prefix + b64u(raw[:-1]), reason="state-tampered")
        opens("RS-17/longer", "a byte too many", token=prefix + b64u(raw + b"\0"), reason="state-tampered")
        opens(
            "RS-17/no-plaintext",
            "nothing between nonce and tag",
            token=prefix + b64u(raw[:32]),
            reason="state-malformed" if name == "compact" else "state-tampered",
        )
        opens("RS-17/31-bytes", "too short to have a tag", token=prefix + b64u(raw[:31]), reason="state-malformed")
        opens(
            "RS-17/56-bytes",
            "one byte less than the compact token has",
            token=prefix + b64u(raw[:56]),
            reason="state-malformed" if name == "compact" else "state-tampered",
        )
        opens("RS-17/prefix-alone", "nothing after the prefix", token=prefix, reason="state-malformed")
        opens(
            "RS-17/upper-case-prefix", "the prefix is exact", token=prefix.upper() + token[3:], reason="state-malformed"
        )
        opens("RS-17/space-before", "white space is no part of a token", token=" " + token, reason="state-malformed")
        opens("RS-17/newline-after", "white space is no part of a token", token=token + "\n", reason="state-malformed")
        opens(
            "RS-17/non-ascii", "a character that no base64 has", token=token[:-1] + "\u00e9", reason="state-malformed"
        )
        sizes = {
            len(b64u_decode(resealed(state=b"x" * size)[3:])) % 3: resealed(state=b"x" * size) for size in range(3)
        }
        for rest, spare in ((1, 4), (2, 2)):
            short = sizes[rest]
            alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
            for bit in range(spare):
                last = alphabet[alphabet.index(short[-1]) | 1 << bit]
                opens(
                    f"RS-17/spare-bit-{rest}-{bit}",
                    "a spare bit of the last character is set",
                    token=short[:-1] + last,
                    reason="state-malformed",
                )
            opens(
                f"RS-17/padded-{rest}",
                "padding is not canonical",
                token=short + "=" * (3 - rest),
                reason="state-malformed",
            )
        high = replace(sealer, keys=(bytes(range(7, 39)),)).seal(
            CALL, b"\xfb\xff" * 20 if name == "compact" else STATE, NOW, FRESH
        )
        standard = high.replace("-", "+").replace("_", "/")
        assert standard != high
        opens(
            "RS-17/standard-alphabet",
            "the URL alphabet only",
            token=standard,
            sealer=replace(sealer, keys=(bytes(range(7, 39)),)),
            reason="state-malformed",
        )
        opens("RS-17/escaped-token", "how the token is spelt in JSON does not count", token_json=escaped(token))

        # Other formats.
        both = replace(sealer, accept=("python", "compact"))
        swapped = ("v1." if name == "compact" else "w1.") + token[3:]
        opens(
            "RS-16/other-prefix",
            "the prefix is authenticated, and keys differ",
            token=swapped,
            sealer=both,
            reason="state-unknown-key",
        )
        opens("RS-22/accepted", "a format opens where it is accepted", sealer=replace(BOTH, accept=("python",)))
        foreign = replace(sealer, format="python" if name == "compact" else "compact")
        opens("RS-22/not-accepted", "and only there", sealer=foreign, reason="state-malformed")

        # The request.
        opens("RS-12/other-method", "another method", replace(CALL, method="completion/complete"), reason="state-other-request")
        opens("RS-12/other-target", "another target", replace(CALL, target="book_rooms"), reason="state-other-request")
        opens("RS-12/no-target", "no target", replace(CALL, target=None), reason="state-other-request")
        opens(
            "RS-12/other-arguments",
            "another value",
            replace(CALL, arguments='{"date":"2026-08-05","attendees":6}'),
            reason="state-other-request",
        )
        opens(
            "RS-12/fewer-arguments",
            "a member less",
            replace(CALL, arguments='{"date":"2026-08-04"}'),
            reason="state-other-request",
        )
        opens(
            "RS-12/more-arguments",
            "a member more",
            replace(CALL, arguments='{"date":"2026-08-04","attendees":6,"x":null}'),
            reason="state-other-request",
        )
        opens("RS-12/no-arguments", "no arguments", replace(CALL, arguments=None), reason="state-other-request")
        opens(
            "RS-12/arguments-too-large",
            "a number that nothing was ever sealed for",
            replace(CALL, arguments='{"a":1e1000001}'),
            reason="state-other-request",
        )
        opens(
            "RS-12/type-of-arguments",
            "a string is not a number",
            replace(CALL, arguments='{"date":"2026-08-04","attendees":"6"}'),
            reason="state-other-request",
        )
        opens(
            "RS-13/order-of-members",
            "order and white space do not count",
            replace(CALL, arguments=' { "attendees" : 6 , "date" : "2026-08-04" } '),
        )
        opens(
            "RS-13/escaped-arguments",
            "how names and strings are spelt does not count",
            replace(CALL, arguments='{"d\\u0061te":"2026\\u002d08-04","attendees":6}'),
        )
        opens(
            "RS-12/escaped-method",
            "how method and target are spelt does not count",
            method_json='"tools\\/call"',
            target_json=escaped("book_room"),
        )
        for number, same in (("6.0", False), ("60e-1", False), ("6e0", False), ("7", None)):
            reason = "state-other-request" if same is None or (name == "python" and not same) else None
            why = {"compact": "numbers compare by value", "python": "Python tells integers from floats"}[name]
            opens(
                f"RS-13/number-{number}",
                why,
                replace(CALL, arguments=f'{{"date":"2026-08-04","attendees":{number}}}'),
                reason=reason,
            )
        nothing = replace(CALL, arguments=None)
        for falsy, compact_agrees in (
            ("{}", True),
            (" { } ", True),
            ("null", False),
            ("false", False),
            ("0", False),
            ("-0", False),
            ("0.0", False),
            ("1e-999", False),
            ('""', False),
            ("[]", False),
        ):
            reason = None if name == "python" or compact_agrees else "state-other-request"
            word = {"{}": "object", " { } ": "spaced-object", '""': "string", "[]": "array"}.get(falsy, falsy).lstrip(
                "-"
            )
            word = "minus-0" if falsy == "-0" else word
            opens(
                f"RS-12/absent-and-{word}",
                "absent arguments agree with {}; to Python with whatever is false",
                replace(CALL, arguments=falsy),
                token=resealed(binding=nothing),
                reason=reason,
            )
        opens(
            "RS-12/absent-and-1",
            "and not with what is true",
            replace(CALL, arguments="1"),
            token=resealed(binding=nothing),
            reason="state-other-request",
        )
        absent, blank = replace(CALL, target=None), replace(CALL, target="")
        reason = "state-other-request" if name == "compact" else None
        opens(
            "RS-12/absent-target",
            "an absent target and an empty one: to Python one thing",
            blank,
            token=resealed(binding=absent),
            reason=reason,
        )
        opens("RS-12/empty-target", "the other way round", absent, token=resealed(binding=blank), reason=reason)
        read = Binding("resources/read", "rooms://all", None, "alice")
        reason = "state-other-request" if name == "compact" else None
        opens(
            "RS-12/resource-arguments",
            "the python format binds no arguments of resources/read",
            replace(read, arguments='{"a":1}'),
            token=resealed(binding=read),
            reason=reason,
        )
        lone = replace(CALL, target="a\ud800b")
        opens(
            "RS-12/lone-target", "a surrogate without its pair is a text of its own", lone, token=resealed(binding=lone)
        )
        opens(
            "RS-12/other-surrogate",
            "and differs from any other",
            replace(CALL, target="a\ufffdb"),
            token=resealed(binding=lone),
            reason="state-other-request",
        )
        pair = replace(CALL, target="\U0001f600")
        opens(
            "RS-12/surrogate-pair",
            "an escaped pair is its character",
            pair,
            token=resealed(binding=pair),
            target_json='"\\ud83d\\ude00"',
        )

        # The context.
        opens(
            "RS-18/other-audience",
            "another audience",
            sealer=replace(sealer, audience="room-desk2"),
            reason="state-other-context",
        )
        opens(
            "RS-18/no-audience",
            "sealed with an audience, opened without",
            sealer=replace(sealer, audience=None),
            reason="state-other-context",
        )
        bare = replace(sealer, audience=None)
        opens("RS-18/new-audience", "sealed without, opened with", token=resealed(bare), reason="state-other-context")
        opens("RS-18/neither-audience", "neither", token=resealed(bare), sealer=bare)
        opens(
            "RS-18/empty-audience",
            "an empty audience is not an absent one",
            token=resealed(bare),
            sealer=replace(sealer, audience=""),
            reason="state-other-context",
        )
        opens(
            "RS-18/both-empty-audience",
            "but like itself",
            token=resealed(replace(sealer, audience="")),
            sealer=replace(sealer, audience=""),
        )
        opens(
            "RS-05/other-principal",
            "another principal",
            replace(CALL, principal="mallory"),
            reason="state-other-context",
        )
        opens(
            "RS-19/principal-gone",
            "sealed with a principal, shown without",
            replace(CALL, principal=None),
            reason="state-other-context",
        )
        nobody = replace(CALL, principal=None)
        opens(
            "RS-19/principal-new",
            "sealed without, shown with",
            token=resealed(binding=nobody),
            reason="state-other-context",
        )
        opens("RS-19/neither-principal", "neither", nobody, token=resealed(binding=nobody))
        opens(
            "RS-19/empty-principal",
            "an empty principal is not an absent one",
            replace(CALL, principal=""),
            token=resealed(binding=nobody),
            reason="state-other-context",
        )
        opens(
            "RS-19/both-empty-principal",
            "but like itself",
            replace(CALL, principal=""),
            token=resealed(binding=replace(CALL, principal="")),
        )
        opens(
            "RS-18/split",
            "nothing moves between audience and principal",
            replace(CALL, principal="desk"),
            token=resealed(replace(sealer, audience="room-desk"), replace(CALL, principal="")),
            sealer=replace(sealer, audience="room-"),
            reason="state-other-context",
        )
        opens(
            "RS-05/shown-principal-4097",
            "a principal one byte too long",
            replace(CALL, principal="p" * 4097),
            misuse="ContextTooLong",
        )

        # The first that holds is told.
        opens(
            "RS-17/order-future",
            "the time comes before the request",
            replace(CALL, target="x"),
            now_ms=NOW - 60_001,
            reason="state-future",
        )
        opens(
            "RS-17/order-expired",
            "the time comes before the request",
            replace(CALL, target="x", principal=None),
            now_ms=NOW + LIFE,
            reason="state-expired",
        )
        opens(
            "RS-17/order-request",
            "the request comes before the context",
            replace(CALL, target="x", principal=None),
            reason="state-other-request",
        )
        opens(
            "RS-17/order-key",
            "the key comes before all of them",
            replace(CALL, target="x"),
            sealer=replace(sealer, keys=(OTHER,)),
            now_ms=NOW + LIFE,
            reason="state-unknown-key",
        )

        # The reissue key.
        accept = '{"room":{"action":"accept","content":{"room":"cinder","floor":5}}}'
        opens("RS-08/answers", "answers change the reissue key, not the token id", answers=accept)
        opens(
            "RS-08/answers-reordered",
            "the same answers, spelt otherwise",
            answers='{ "room": {"content":{"floor":5.0,"room":"c\\u0069nder"}, "action":"accept"} }',
        )
        opens("RS-08/answers-other", "other answers", answers=accept.replace("cinder", "basalt"))
        opens("RS-08/answers-empty", "no answers and {} differ", answers="{}")
        opens(
            "RS-08/answers-too-large",
            "a number that no digest is made of",
            answers='{"a":-1e-1000001}',
            reason="number-too-large",
        )

    for token, word in (
        ("", "empty"),
        ("w1", "w1"),
        ("rs1.AAAA.AAAA", "rust"),
        ("v1.eyJwIjoxfQ.AAAA", "typescript"),
        ("w1.AAAA.AAAA", "dotted"),
        ("w2." + "A" * 76, "later-version"),
        ("\ud800", "surrogate"),
        ("eyJhIjoxfQ", "plain"),
    ):
        add(f"RS-22/{word}", "not one of the accepted formats", open_case(BOTH, token, reason="state-malformed"))
    add("RS-17/zeros", "well formed and from nobody", open_case(BOTH, "w1." + "A" * 76, reason="state-unknown-key"))


def forged_cases(add: Callable[[str, str, Case], None]) -> None:
    """Tokens under the right key that no sealer of ours mints."""

    def compact_token(plaintext: bytes) -> str:
        return seal_envelope("w1.", compact.key_id(SECRET), compact.key(SECRET), FRESH[:12], plaintext)

    tags = compact.request_tag(SECRET, CALL) + compact.context_tag(SECRET, DESK.audience, CALL.principal)
    for lifetime, reason in (
        (0, "state-malformed"),
        (1, None),
        (MAX_LIFETIME_MS, None),
        (MAX_LIFETIME_MS + 1, "state-malformed"),
        (2**30 - 1, "state-malformed"),
    ):
        token = compact_token((NOW << 30 | lifetime).to_bytes(9, "big") + tags)
        add(
            f"RS-06/forged-lifetime-{lifetime}",
            "a lifetime outside of its range is no claim of ours",
            open_case(DESK, token, reason=reason),
        )
    for issued, reason in ((0, "state-expired"), (2**42 - 1, "state-future")):
        token = compact_token((issued << 30 | LIFE).to_bytes(9, "big") + tags)
        add(f"RS-20/forged-issue-{issued}", "any issue time fits the field", open_case(DESK, token, reason=reason))
    token = compact_token((NOW << 30 | LIFE).to_bytes(9, "big") + tags[8:] + tags[:8])
    add(
        "RS-12/forged-swapped-tags",
        "the tags have keys of their own",
        open_case(DESK, token, reason="state-other-request"),
    )

    good = python_token.claims_of(PYTHON.audience, LIFE, CALL, "state", NOW, FRESH[12:])

    def claims(
        id: str, why: str, text: str | dict[str, Any], reason: str | None = None, *given: Any, **more: Any
    ) -> None:
        written = text if isinstance(text, str) else json.dumps(text, separators=(",", ":"))
        token = python_token.seal_claims(SECRET, written, FRESH[:12])
        add(id.replace("/", "/claims-"), why, open_case(PYTHON, token, *given, reason=reason, **more))

    claims("RS-22/good", "the claims that the next cases change", good)
    claims("RS-22/order", "their order does not count", dict(reversed(good.items())))
    claims("RS-22/spaced", "nor white space", json.dumps(good, indent=1))
    claims(
        "RS-22/escaped-names",
        "nor escapes",
        json.dumps(good).replace('"m"', '"\\u006d"').replace("tools/call", "tools\\/call"),
    )
    claims(
        "RS-22/raw-utf8", "nor text that could have been escaped", json.dumps({**good, "s": "żółć"}, ensure_ascii=False)
    )
    claims("RS-22/more", "unknown claims do not count", {**good, "z": [1, {"a": None}], "w": "x"})
    for name in ("v", "iat", "exp", "m", "t", "a", "s"):
        claims(
            f"RS-20/no-{name}",
            "a claim is missing",
            {key: value for key, value in good.items() if key != name},
            "state-malformed",
        )
        claims(f"RS-20/null-{name}", "null is not the claim's type", {**good, name: None}, "state-malformed")
        wrong = {"v": "1", "iat": str(good["iat"]), "exp": True}.get(name, 1)
        claims(f"RS-20/type-{name}", "not the claim's type", {**good, name: wrong}, "state-malformed")
    claims("RS-20/twice", "a claim twice", json.dumps(good)[:-1] + ',"v":1}', "state-malformed")
    claims("RS-20/twice-unknown", "an unknown claim twice", json.dumps(good)[:-1] + ',"z":1,"z":1}', "state-malformed")
    for version, word, reason in (
        ("1.0", "1.0", None),
        ("10e-1", "10e-1", None),
        ("2", "2", "state-malformed"),
        ("-1", "minus-1", "state-malformed"),
        ("1.5", "1.5", "state-malformed"),
        ("true", "true", "state-malformed"),
    ):
        claims(
            f"RS-22/version-{word}",
            "the version is the number 1",
            json.dumps(good).replace('"v": 1', f'"v": {version}'),
            reason,
        )
    for text, word in (
        ("", "empty"),
        ("[]", "array"),
        ('"x"', "string"),
        ("1", "number"),
        ("{", "cut"),
        ("{}x", "trailing"),
        ("{'v':1}", "quotes"),
    ):
        claims(f"RS-20/{word}", "not a JSON object", text, "state-malformed")
    for constant in ("NaN", "Infinity", "-Infinity"):
        for name in ("iat", "exp"):
            text = json.dumps(good).replace(f'"{name}": {json.dumps(good[name])}', f'"{name}": {constant}')
            claims(
                f"RS-20/{name}-{constant.replace('-', 'minus-')}", "JSON has no such number", text, "state-malformed"
            )

    def timed(iat: str, exp: str) -> str:
        text = json.dumps(good).replace(f'"iat": {json.dumps(good["iat"])}', f'"iat": {iat}')
        return text.replace(f'"exp": {json.dumps(good["exp"])}', f'"exp": {exp}')

    for exp, word, reason in (
        ("1785000000.1230001", "just-alive", None),
        ("1785000000.123", "just-over", "state-expired"),
        ("1785000000.12299999999999999999999999999", "just-before", "state-expired"),
        ("1785000000.12300000000000000000000000001", "by-a-hair", None),
        ("1785000001", "integer", None),
        ("178500000012301e-5", "exponent", None),
        ("1e300", "far", None),
        ("1e1000000", "farthest", None),
        ("1e1000001", "too-far", "state-malformed"),
        ("18446744073709551.615", "largest", None),
        ("18446744073709551.616", "beyond", None),
        ("0", "zero", "state-expired"),
        ("-0.0", "minus-zero", "state-expired"),
        ("-5", "negative", "state-expired"),
    ):
        claims(f"RS-20/exp-{word}", "seconds are compared exactly, never as floats", timed("1785000000", exp), reason)
    for iat, word, reason in (
        ("1785000060.123", "skew", None),
        ("1785000060.1230", "skew-zero", None),
        ("1785000060.12300000000000000000000000001", "by-a-hair", "state-future"),
        ("1785000060.124", "over-skew", "state-future"),
        ("1785000060.1229999", "just-within", None),
        ("1e300", "far", "state-future"),
        ("0", "zero", None),
        ("-1e9", "negative", None),
        ("1e-1000000", "tiny", None),
        ("1.7850000001239999e9", "fraction", None),
    ):
        claims(f"RS-20/iat-{word}", "seconds are compared exactly, never as floats", timed(iat, "1785009999"), reason)

    for state, word, reason in (
        ('\\u0000\\b\\f\\n\\r\\t\\/\\\\\\"', "short-escapes", None),
        ("\\ud83d\\ude00\\u00e9\\u20ac", "pairs", None),
        ("\\ud83d", "lone-high", "state-malformed"),
        ("\\ude00", "lone-low", "state-malformed"),
        ("\\ude00\\ud83d", "wrong-order", "state-malformed"),
        ("\\ud83d\\ud83d\\ude00", "high-before-pair", "state-malformed"),
        ("\\ud83dx", "high-and-text", "state-malformed"),
        ("\\ud83d\\n", "high-and-escape", "state-malformed"),
        ("\\uD83D\\uDE00", "upper-case", None),
        ("\\\\ud800", "escaped-backslash", None),
    ):
        text = json.dumps(good).replace('"s": "state"', f'"s": "{state}"')
        claims(f"RS-22/state-{word}", "the state is text; a surrogate without its pair is none", text, reason)

    claims("RS-18/null-aud", "null counts as absent", {**good, "aud": None}, "state-other-context")
    claims("RS-18/type-aud", "not the claim's type", {**good, "aud": 1}, "state-malformed")
    claims("RS-19/null-p", "null counts as absent", {**good, "p": None}, "state-other-context")
    claims("RS-19/null-p-nobody", "null counts as absent", {**good, "p": None}, None, replace(CALL, principal=None))
    claims("RS-19/type-p", "not the claim's type", {**good, "p": 1}, "state-malformed")
    raw = b64u_decode(good["p"])
    claims("RS-19/short-p", "salt and hash have their length", {**good, "p": b64u(raw[:-1])}, "state-malformed")
    claims("RS-19/long-p", "salt and hash have their length", {**good, "p": b64u(raw + b"\0")}, "state-malformed")
    claims("RS-19/empty-p", "salt and hash have their length", {**good, "p": ""}, "state-malformed")
    claims("RS-19/padded-p", "and are canonical base64url", {**good, "p": good["p"] + "===="}, "state-malformed")
    claims(
        "RS-19/flipped-p",
        "one bit of the hash changed",
        {**good, "p": b64u(raw[:-1] + bytes([raw[-1] ^ 1]))},
        "state-other-context",
    )
    claims(
        "RS-19/salted-p",
        "one bit of the salt changed",
        {**good, "p": b64u(bytes([raw[0] ^ 1]) + raw[1:])},
        "state-other-context",
    )
    claims("RS-12/digest-case", "the digest is exact", {**good, "a": good["a"].swapcase()}, "state-other-request")
    claims("RS-12/digest-longer", "the digest is exact", {**good, "a": good["a"] + "A"}, "state-other-request")
    claims("RS-12/digest-empty", "the digest is exact", {**good, "a": ""}, "state-other-request")
    claims("RS-20/order", "malformed claims come before an expired time", {**good, "s": 1, "exp": 1}, "state-malformed")


# canonical.json

# Each row is one value in several spellings; different rows are different values (RS-13).
SAME = [
    ["0", "-0", "0.0", "-0.0", "0e0", "0E+9", "0e-9", "-0.000e-7", "0e99999999999999999999999999"],
    ["1", "1.0", "10e-1", "0.1e1", "1E0", "1e+0", "1.000", "100000000000000000000e-20", "0.00001e5"],
    ["-1", "-1.0", "-10e-1", "-0.1E+1"],
    ["9007199254740992", "9007199254740992.0", "9.007199254740992e15"],
    ["9007199254740993", "9007199254740993.0", "9.007199254740993e15"],
    ["0.1", "1e-1", "0.10", "0.01e1"],
    ["0.1000000000000000055511151231257827021181583404541015625"],
    ["120", "1.2e2", "12E1", "120.00", "0.0012e5"],
    ["1e400", "10e399", "0.1e401"],
    ["1e401"],
    ["1e-400", "0.1e-399", "10e-401"],
    ["-1e400"],
    ["1e1000000", "10e999999", "0.01e1000002"],
    ["1e-1000000", "0.1e-999999", "1000e-1000003"],
    ["5e-324"],
    ["4.9e-324"],
    ["1.7976931348623157e308"],
    ["1.7976931348623158e308"],
    ['"1"', '"\\u0031"'],
    ['""'],
    ["{}", " { } ", "{\n}"],
    ["[]", "[ ]"],
    ["null", " null "],
    ["true"],
    ["false"],
    ['"/"', '"\\/"', '"\\u002f"', '"\\u002F"'],
    ['"\\""', '"\\u0022"'],
    ['"\\\\"', '"\\u005c"'],
    ['"\\b\\f\\n\\r\\t"', '"\\u0008\\u000C\\u000a\\u000D\\u0009"'],
    ['"\x7f"', '"\\u007f"'],
    ['"é"', '"\\u00e9"', '"\\u00E9"'],
    ['"e\u0301"'],
    ['"\u2028"', '"\\u2028"'],
    ['"\U0001f600"', '"\\ud83d\\ude00"', '"\\uD83D\\uDE00"'],
    ['"\\ud83d"'],
    ['"\\ude00"'],
    ['"\\ude00\\ud83d"'],
    ['"\ufffd"', '"\\ufffd"'],
    ['"\\u0000"'],
    ['"a\\u0000"'],
    ["[1,2]", "[1.0 , 20e-1]"],
    ["[2,1]"],
    ["[[1],2]"],
    ["[1,[2]]"],
    ["[[1,2]]"],
    ["[1,2,[]]"],
    ["[[],1,2]"],
    ["[12]"],
    ['["1","2"]'],
    ['["12"]'],
    ['["1",["2"]]'],
    ["[null]"],
    ["[null,null]"],
    ["[[[[[[]]]]]]"],
    ["[[[[[]]]]]"],
    ["[{}]"],
    ["[[]]"],
    ['{"a":1,"b":2}', '{"b":2,"a":1}', '{ "b" : 2.0 , "\\u0061" : 1 }'],
    ['{"a":2,"b":1}'],
    ['{"a":{"b":1}}'],
    ['{"a":1,"b":{}}'],
    ['{"a":[1],"b":2}', '{"b":2,"a":[ 1 ]}'],
    ['{"a":{},"b":2}'],
    ['{"":1}'],
    ['{"a":null}'],
    ['{"ab":"c"}'],
    ['{"a":"bc"}'],
    ['{"a":{"y":[{"q":1,"p":2}],"x":0},"b":[]}', '{"b":[],"a":{"x":0,"y":[{"p":2,"q":1}]}}'],
    [
        '{"z":1,"é":2,"\ud7ff":3,"\\ud800":4,"\ue000":5,"\uffff":6,"\U00010000":7}',
        '{"\\ud800\\udc00":7,"\uffff":6,"\ue000":5,"\\ud800":4,"\ud7ff":3,"é":2,"z":1}',
    ],
    ['{"a":1,"aa":2,"a\\u0000":3,"a!":4,"A":5,"a\\"":6}', '{"a\\"":6,"A":5,"a\\u0021":4,"a\\u0000":3,"aa":2,"a":1}'],
    ['{"a b":1,"a\\tb":2,"a":3}', '{"a":3,"a\\u0009b":2,"a b":1}'],
]

# Numbers for the layout of floats.
FLOATS = """1.0 -1.0 1.5 100000.0 123456.789 1e15 1e16 1.5e16 123456789012345680.0 9999999999999998.0 9999999999999999.0
1e22 1e23 1e-4 1e-5 0.0001 0.00001 0.00012345 0.000012345 1.2345e-7 0.1 0.2 0.30000000000000004 3.14159265358979323846
2.2250738585072014e-308 2.2250738585072009e-308 5e-324 2.4703282292062327e-324 2.4703282292062328e-324
1.7976931348623157e308 1.7976931348623158e308 1.797693134862315807e308 1.797693134862315808e308 1e308 1e309
-1e309 1e999999 1e-999999 -1e-400 -0e0 1E5 1e+5 1e05
9007199254740993.0 9007199254740993e0 4503599627370496.5 4503599627370497.5 1e100 1e-100 1.0e10 12e0 0e5 10e-1
8.41 2.0919495182368195e19 2.6153245263757307e19 2.225073858507201e-308 6.62607015e-34 0.1e-6 1000000000000000.1
1125899906842624.125 1e21 100e20 7.2057594037927933e16 1.00000000000000011102230246251565 1.0000000000000001
1891984631037200.25 1891984631037200.75 719660041296320.25 719660041296320.75 7812700732515808.5 5.684341886080802e-14
5.684341886080801e-14 0.0000000000000568434188608080148696899414062""".split()


def canonical_cases(add: Callable[[str, str, Case], None]) -> None:
    add("RS-13/absent", "absent arguments count as {}", canonical_case(None))
    digests: dict[str, int] = {}
    for row, spellings in enumerate(SAME):
        for column, text in enumerate(spellings):
            case = canonical_case(text)
            assert digests.setdefault(case["expect"]["digest_hex"], row) == row, text
            why = f"value {row}" if column == 0 else f"value {row}, spelt otherwise"
            add(f"RS-13/value-{row}-{column}", why, case)
        assert len({canonical_case(text)["expect"]["digest_hex"] for text in spellings}) == 1, spellings
    for number, text in enumerate(FLOATS):
        add(f"RS-13/float-{number}", "how Python prints it", canonical_case(text))
    for text, word in (
        ("1e1000001", "exponent"),
        ("-10e1000000", "exponent-spelt"),
        ("1e-1000001", "small-exponent"),
        ("[0.1e-1000000]", "small-exponent-spelt"),
        ("1e99999999999999999999999999", "absurd-exponent"),
        ("1e-99999999999999999999999999", "absurd-small-exponent"),
        ("0e1000001", "zero"),
        ("9" * 4300, "4300-digits"),
        ("9" * 4301, "4301-digits"),
        ("-" + "9" * 4300, "minus-4300-digits"),
        ("-" + "9" * 4301, "minus-4301-digits"),
        ("9" * 4301 + ".0", "4301-digit-float"),
        ("0." + "0" * 5000 + "1", "tiny"),
    ):
        add(f"RS-13/limit-{word}", "at the limits of numbers", canonical_case(text))
    every = "".join(map(chr, range(0x20))) + "".join(map(chr, range(0x7F, 0x100)))
    add("RS-13/latin-1", "control characters and Latin 1", canonical_case(json.dumps(every)))
    add("RS-13/ascii", "the rest of ASCII", canonical_case(json.dumps("".join(map(chr, range(0x20, 0x7F))))))
    add(
        "RS-13/ends",
        "first and last character of each length in UTF-8",
        canonical_case(json.dumps("\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff", ensure_ascii=False)),
    )
    names = {f"n{i * 7919 % 1000}": i for i in range(60)}
    add("RS-13/many-members", "more members than are sorted by insertion", canonical_case(json.dumps(names)))
    alike = {"x" * 30 + chr(97 + i * 11 % 26) + "y" * (i % 3): i for i in range(26)}
    add("RS-13/alike-names", "names that differ late", canonical_case(json.dumps(alike)))
    add(
        "RS-13/deep",
        "nested as deep as a policy can allow",
        canonical_case('{"a":' * 128 + "[" * 127 + "0" + "]" * 127 + "}" * 128),
    )


def files() -> dict[str, Cases]:
    seal, canonical, stream = (Cases(f"wireseal-{name}/1") for name in ("seal", "canonical", "stream"))
    for make in (new_cases, seal_cases, open_cases, forged_cases):
        make(seal.add)
    canonical_cases(canonical.add)
    stream_cases.all_cases(stream.add)
    bare = next(case for case in seal.cases if case["id"] == "RS-22/compact-bare")
    assert len(bare["expect"]["token"]) == 79
    return {
        "seal.json": seal,
        "canonical.json": canonical,
        "nonce.json": nonce_cases(),
        "param.json": param_cases(),
        "stream.json": stream,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    stale = 0
    for name, cases in files().items():
        path = VECTORS / name
        if check:
            if not path.exists() or path.read_text() != cases.text():
                print(f"{path} is stale: run tests/reference/make_vectors.py")
                stale = 1
        else:
            path.write_text(cases.text())
            print(f"{path}: {len(cases.cases)} cases")
    return stale


if __name__ == "__main__":
    sys.exit(main())
