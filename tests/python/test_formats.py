"""The `typescript` and `rust` formats, beside a second reading of their bytes in plain Python."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import wireseal

KEY = b"0123456789abcdef0123456789abcdef"
LONG_KEY = bytes(range(200))
NOW = 1_785_000_000.25
METHOD, TARGET = "tools/call", "book_room"


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def mac(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, hashlib.sha256).digest()


def typescript(body: Any, key: bytes = KEY, prefix: str = "v1.") -> str:
    """A token around a body: a value, or text as it is."""
    text = body if isinstance(body, bytes) else json.dumps(body, separators=(",", ":")).encode()
    signed = prefix + b64(text)
    return f"{signed}.{b64(mac(key, signed.encode()))}"


def tag(binding: bytes, key: bytes = KEY) -> str:
    return b64(mac(key, b"mcp.requestState.bind:" + binding)[:16])


def rust(expiry: int, payload: bytes, associated: bytes, key: bytes = KEY) -> str:
    body = struct.pack(">q", expiry) + payload
    signed = b"rmcp/mrtr/request-state/v1" + struct.pack(">Q", len(associated)) + associated + body
    return f"rs1.{b64(body)}.{b64(mac(key, signed))}"


def bind(method: str, target: str | None, principal: str | None) -> str:
    return f"{method}\0{target}\0{principal}"


BOUND = f"{METHOD}\0{TARGET}\0alice".encode()


def sealer(format: str, *, keys: list[bytes] | None = None, bound: bool = True, **more: Any) -> wireseal.Sealer:
    settings: dict[str, Any] = {"binding": bind} if bound else {"allow_unbound": True}
    return wireseal.Sealer(keys or [KEY], audience=None, format=format, **settings, **more)  # type: ignore[arg-type]


def seal(by: wireseal.Sealer, state: str | bytes, now: float = NOW) -> str:
    return by.seal_for(METHOD, TARGET, {"n": 1}, state, principal="alice", now=now)


def open_(by: wireseal.Sealer, token: str, now: float = NOW, principal: str | None = "alice") -> wireseal.Opened:
    return by.open_for(token, METHOD, TARGET, {"n": 1}, principal=principal, now=now)


def reason(call: Callable[[], object]) -> str:
    with pytest.raises(wireseal.Rejected) as caught:
        call()
    assert (caught.value.code, caught.value.status) == (-32602, 400)
    assert json.loads(caught.value.to_bytes())["error"]["data"] == {"reason": "invalid_request_state"}
    return caught.value.reason


@pytest.mark.parametrize("key", [KEY, LONG_KEY[:64], LONG_KEY[:65], LONG_KEY])
def test_bytes_are_those_of_the_other_reading(key: bytes) -> None:
    """RS: sealed tokens are what the formats say, byte for byte, whatever the length of the key."""
    ts, rs = sealer("typescript", keys=[key], ttl=90.5), sealer("rust", keys=[key], ttl=90.5)
    body = {"p": {"step": 1}, "exp": 1_785_000_090.5, "b": tag(BOUND, key)}
    assert seal(ts, '{"step":1}') == typescript(body, key)
    assert seal(rs, b"\xff\x00raw") == rust(1_785_000_090_750, b"\xff\x00raw", BOUND, key)
    unbound = sealer("typescript", keys=[key], bound=False)
    assert seal(unbound, "null") == typescript({"p": None, "exp": 1_785_000_600}, key)
    assert seal(unbound, "") == typescript({"exp": 1_785_000_600}, key)
    assert seal(sealer("rust", keys=[key], bound=False), "x") == rust(1_785_000_600_250, b"x", b"", key)


def test_opening() -> None:
    ts = sealer("compact", accept=("typescript", "rust", "python"))
    opened = open_(ts, typescript({"p": [1, "ä"], "exp": 1_785_000_001, "b": tag(BOUND)}))
    assert (opened.format, opened.state, opened.issued_at) == ("typescript", b'[1, "\\u00e4"]'.replace(b" ", b""), None)
    assert opened.expires_at == 1_785_000_002 and opened.bound == frozenset({"binding"})
    opened = open_(ts, rust(1_785_000_000_250, b"state", BOUND))
    assert (opened.format, opened.state, opened.expires_at) == ("rust", b"state", 1_785_000_000.251)
    assert opened.bound == frozenset({"binding"}) and len(opened.key_id) == 4
    unbound = sealer("rust", bound=False, accept=("typescript",))
    assert open_(unbound, rust(1_785_000_000_250, b"", b"")).bound == frozenset()
    assert open_(unbound, typescript({"exp": 1_785_000_000})).state == b""
    spaced = typescript(b' {"x":1, "exp" : 1785000000 ,"p": "\\u0061" } ')
    assert open_(unbound, spaced).state == b'"\\u0061"'


def test_ends() -> None:
    """Good while floor(now) is not beyond exp; good in the last millisecond of the `rust` expiry."""
    ts = sealer("typescript", bound=False)
    for exp, last in ((1_785_000_000, 1_785_000_000.999), (1_785_000_000.5, 1_785_000_000.999), (1_785_000_001, 1_785_000_001.999)):
        token = typescript({"p": 1, "exp": exp})
        assert open_(ts, token, now=last).state == b"1"
        assert reason(lambda: open_(ts, token, now=round(last + 0.001, 3))) == "state-expired"
    rs = sealer("rust", bound=False)
    token = rust(1_785_000_000_250, b"s", b"")
    assert open_(rs, token, now=1_785_000_000.250).state == b"s"
    assert reason(lambda: open_(rs, token, now=1_785_000_000.251)) == "state-expired"
    assert reason(lambda: open_(rs, rust(0, b"s", b""))) == "state-malformed"
    assert reason(lambda: open_(rs, rust(-5, b"s", b""))) == "state-expired"
    assert reason(lambda: open_(ts, typescript({"p": 1, "exp": -1}))) == "state-expired"
    assert open_(ts, typescript(b'{"exp":1e400}')).state == b""
    assert open_(rs, rust(2**63 - 1, b"s", b"")).state == b"s"


def test_bindings_both_ways() -> None:
    """A token with a binding where none is known, one without where one is, and another's."""
    bound, unbound = sealer("typescript"), sealer("typescript", bound=False)
    with_tag = typescript({"p": 1, "exp": 1_785_000_600, "b": tag(BOUND)})
    without = typescript({"p": 1, "exp": 1_785_000_600})
    assert reason(lambda: open_(unbound, with_tag)) == "state-other-context"
    assert reason(lambda: open_(bound, without)) == "state-other-context"
    assert reason(lambda: open_(bound, with_tag, principal="mallory")) == "state-other-context"
    for other in ("", tag(BOUND)[:-1], tag(BOUND) + "A", 7, None, tag(b"")):
        token = typescript({"p": 1, "exp": 1_785_000_600, "b": other})
        assert reason(lambda: open_(bound, token)) == "state-other-context", other
    rs_bound, rs_unbound = sealer("rust"), sealer("rust", bound=False)
    assert reason(lambda: open_(rs_bound, rust(2**62, b"s", b""))) == "state-tampered"
    assert reason(lambda: open_(rs_unbound, rust(2**62, b"s", BOUND))) == "state-tampered"
    assert reason(lambda: open_(rs_bound, rust(2**62, b"s", BOUND), principal=None)) == "state-tampered"


def empty_of(value: str | bytes) -> Callable[[str, str | None, str | None], str | bytes]:
    return lambda method, target, principal: value


def test_an_empty_binding_is_none() -> None:
    """It binds nothing: refused unless unbound tokens are allowed, and never said to have been verified."""
    formats: tuple[Any, ...] = ("typescript", "rust")
    for format in formats:
        for empty in ("", b""):
            by = wireseal.Sealer([KEY], audience=None, format=format, binding=empty_of(empty))
            with pytest.raises(ValueError, match="binding"):
                seal(by, "1")
            token = typescript({"p": 1, "exp": 2e9, "b": tag(b"")}) if format == "typescript" else rust(2**62, b"1", b"")
            with pytest.raises(ValueError, match="binding"):
                open_(by, token)
            allowing = wireseal.Sealer([KEY], audience=None, format=format, binding=empty_of(empty), allow_unbound=True)
            for either in (token, seal(allowing, "1")):
                opened = open_(allowing, either)
                assert (opened.state, opened.bound) == (b"1", frozenset())


def test_endless_tokens() -> None:
    """RS: a `rust` token without an expiry opens where the host says so, and is nothing for `Once`."""
    token = rust(0, b"s", BOUND)
    assert reason(lambda: open_(sealer("rust"), token)) == "state-malformed"
    opened = open_(sealer("rust", allow_endless=True), token, now=4_000_000_000)
    assert (opened.state, opened.expires_at, opened.bound) == (b"s", None, frozenset({"binding"}))
    assert repr(opened) == "<wireseal.Opened rust endless>"
    with pytest.raises(wireseal.Rejected):
        wireseal.Once().run(opened, principal="alice", action=lambda: {"done": True})
    for other in (rust(0, b"s", b""), rust(0, b"", BOUND)[:-1] + "A"):
        assert reason(lambda: open_(sealer("rust", allow_endless=True), other)) in ("state-tampered", "state-malformed")


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def test_what_is_sealed_opens() -> None:
    """A state or a request that could not be opened again is not sealed."""
    ts = sealer("typescript")
    assert open_(ts, seal(ts, nested(255))).state == nested(255).encode()
    for state in (nested(256), "\ufeff1", "\ufeff", " ", "1,1", '1,"exp":2', "{", '"\ud800'.encode("utf-8", "surrogatepass")):
        with pytest.raises(ValueError):
            seal(ts, state)
    for format in ("typescript", "rust"):
        by = sealer(format)
        for arguments in ({"n": 1}, None, b'{"n":1e400}', b'{"n":[1e-999999]}'):
            token = by.seal_for(METHOD, TARGET, arguments, "1", principal="alice", now=NOW)
            opened = by.open_for(token, METHOD, TARGET, arguments, principal="alice", now=NOW)
            assert opened.state == b"1" and "arguments" not in opened.bound
        with pytest.raises(ValueError):
            by.seal_for(METHOD, TARGET, b'{"n":1e9999999999}', "1", principal="alice", now=NOW)
        token = seal(by, "1")
        assert by.open_for(token, METHOD, TARGET, {"n": 2}, principal="alice", now=NOW).state == b"1"


def test_secrets_that_sign_alike_are_one_key() -> None:
    """HMAC fills a secret up with zeros, so that these are one key to the signed formats."""
    long = LONG_KEY[:65]
    for one, two in ((KEY, KEY + b"\0"), (KEY, KEY + b"\0" * 32), (hashlib.sha256(long).digest(), long)):
        for format in ("typescript", "rust"):
            with pytest.raises(ValueError, match="sign alike"):
                sealer(format, keys=[one, two])
            with pytest.raises(ValueError, match="sign alike"):
                sealer("compact", keys=[one, two], accept=(format,))
        assert open_(sealer("compact", keys=[one, two]), seal(sealer("compact", keys=[two]), "1")).state == b"1"
    sealer("rust", keys=[KEY, KEY + b"\0" * 33])  # longer than a block: hashed


def spoilt(token: str) -> Iterator[str]:
    """Every truncation, and every character changed to each of a few others."""
    yield from (token[:cut] for cut in range(len(token)))
    for at, char in enumerate(token):
        for other in "A_-.=9":
            if other != char:
                yield token[:at] + other + token[at + 1 :]
    yield from (token + "A", token + "=", token + ".", token + " ", " " + token, token + ".A")


@pytest.mark.parametrize("format", ["typescript", "rust"])
def test_nothing_spoilt_opens(format: str) -> None:
    by = sealer(format, accept=("compact", "python", "typescript", "rust"))
    token = seal(by, '{"a":"b"}')
    assert open_(by, token).state == b'{"a":"b"}'
    for other in spoilt(token):
        assert reason(lambda: open_(by, other)) in (
            "state-malformed",
            "state-tampered",
            "state-unknown-key",
        ), other
    for bit in range(len(token) * 7):
        at, mask = divmod(bit, 7)
        other = token[:at] + chr(ord(token[at]) ^ 1 << mask) + token[at + 1 :]
        reason(lambda: open_(by, other))


def test_malformed_bodies() -> None:
    """Signed by the right key, and still not a token: what another implementation under the key may write."""
    by = sealer("typescript", bound=False)
    for body in (b"", b"[]", b"null", b"{}", b'{"exp":"1785000600"}', b'{"exp":null}', b'{"exp":1785000600,"exp":1}', b"{", b"\xff", b'{"p":1}'):
        assert reason(lambda: open_(by, typescript(body))) == "state-malformed", body
    rs = sealer("rust", bound=False)
    short = b"1234567"
    signed = b"rmcp/mrtr/request-state/v1" + struct.pack(">Q", 0) + short
    assert reason(lambda: open_(rs, f"rs1.{b64(short)}.{b64(mac(KEY, signed))}")) == "state-malformed"


def test_formats_are_told_apart() -> None:
    """A token of one format is never taken for another, and one that is not accepted is malformed."""
    everything = ("compact", "python", "typescript", "rust")
    tokens = {name: seal(sealer(name, bound=False), '"s"') for name in everything}
    for name, token in tokens.items():
        assert open_(sealer("compact", bound=False, accept=everything), token).format == name
        for other in everything:
            by = sealer(other, bound=False)
            if other != name:
                assert reason(lambda: open_(by, token)) == "state-malformed"
        for prefix in ("w1.", "v1.", "rs1."):
            moved = prefix + token.split(".", 1)[1]
            if moved != token:
                reason(lambda: open_(sealer("compact", bound=False, accept=everything), moved))


def test_rings_and_rotation() -> None:
    """Every key of the ring opens, the first one signs."""
    old, new = b"o" * 32, b"n" * 32
    for format in ("typescript", "rust"):
        token = seal(sealer(format, keys=[old]), "1")
        phases = [[old], [old, new], [new, old]]
        assert len({open_(sealer(format, keys=phase), token).key_id for phase in phases}) == 1
        assert reason(lambda: open_(sealer(format, keys=[new]), token)) == "state-tampered"
        assert seal(sealer(format, keys=[new, old]), "1") == seal(sealer(format, keys=[new]), "1")


def test_token_ids_and_reissues() -> None:
    for format in ("typescript", "rust"):
        by = sealer(format)
        token = seal(by, "1")
        first, again = open_(by, token), open_(by, token)
        assert (first.token_id, first.reissue_key) == (again.token_id, again.reissue_key)
        answers = [{"a": {"action": "accept"}}, {"a": {"action": "decline"}}]
        keys = {
            by.open_for(
                token, METHOD, TARGET, {"n": 1}, principal="alice", now=NOW, input_responses_json=answer
            ).reissue_key
            for answer in answers
        }
        assert len(keys | {first.reissue_key}) == 3


def test_what_the_host_must_say() -> None:
    for format in ("typescript", "rust"):
        for settings in ({"format": format}, {"accept": (format,)}):
            with pytest.raises(ValueError, match="binding"):
                wireseal.Sealer([KEY], audience=None, **settings)
    with pytest.raises(TypeError):
        wireseal.Sealer([KEY], audience=None, format="rust", binding="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        seal(sealer("typescript"), "not json")
    with pytest.raises(ValueError):
        seal(sealer("typescript"), '{"a":1,"a":2}')

    def broken(*_: object) -> str:
        raise RuntimeError("no binding today")

    failing = wireseal.Sealer([KEY], audience=None, format="rust", binding=broken)
    with pytest.raises(RuntimeError):  # fail closed: nothing is sealed without what it is bound to
        seal(failing, "s")
    wrong = wireseal.Sealer([KEY], audience=None, format="rust", binding=lambda *_: 7)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        seal(wrong, "s")


def test_binding_sees_the_request() -> None:
    seen: list[tuple[str, str | None, str | None]] = []

    def watch(method: str, target: str | None, principal: str | None) -> bytes:
        seen.append((method, target, principal))
        return b"x"

    by = wireseal.Sealer([KEY], audience=None, format="rust", binding=watch)
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params: dict[str, Any] = {"name": "t", "_meta": meta}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    token = by.seal(wireseal.admit(json.dumps(body).encode()), b"s", principal=None)
    params["requestState"] = token
    opened = by.open(wireseal.admit(json.dumps(body).encode()), principal=None)
    assert opened is not None and opened.state == b"s"
    assert seen == [("tools/call", "t", None)] * 2


def test_token_lengths() -> None:
    """The table of docs/tokens.md."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "tokens.md").read_text(encoding="utf-8")
    formats: tuple[Any, ...] = ("compact", "python", "typescript", "rust")
    for size in (0, 16, 64):
        state = '"' + "x" * (size - 2) + '"' if size else ""
        lengths = []
        for format in formats:
            by = wireseal.Sealer([KEY], audience="room-desk", format=format, binding=bind)
            lengths.append(len(seal(by, state, now=1_785_000_000)))
        assert f"| {size} | {' | '.join(map(str, lengths))} |" in page
