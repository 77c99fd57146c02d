"""Runs the shared vectors of tests/vectors against the Python module. What a case says: tests/vectors/README.md."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import wireseal
from wireseal import _testing

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
Case = dict[str, Any]
# The members that describe a message and how it came, and those of its view; JSON_TEXTS are JSON texts there.
MESSAGE = "policy http legacy_version tool_schema body body_b64 body_parts"
JSON_TEXTS = """id params arguments input_responses client_info capabilities progress_token cancelled_id progress
log_message"""
ARGUMENTS = {
    "complete": "result ttl_ms cache_scope server_info",
    "input_required": "questions request_state server_info",
    "error": "code message data",
    "resource_not_found": "",
    "elicit": "message schema",
    "require": "required",
}
VIEW = f"kind era version method name request_state log_level cursor {JSON_TEXTS}"


def cases(name: str) -> list[Any]:
    """The cases of one file as parameters, each under its own id."""
    document = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
    assert document["format"] == f"wireseal-{name}/1"
    assert document["cases"], f"{name}.json has no cases"
    return [pytest.param(name, case, id=case["id"]) for case in document["cases"]]


def only(found: Case, names: str) -> None:
    """A member that this runner does not know would go untested."""
    assert set(found) <= set(names.split())


def body_of(message: Case) -> bytes:
    """The body of a case: `body`, `body_b64` or `body_parts`."""
    if "body" in message:
        return str(message["body"]).encode()
    if "body_b64" in message:
        return base64.b64decode(message["body_b64"], validate=True)
    return "".join(text * times for text, times in message["body_parts"]).encode()


def policy_of(message: Case, **more: Any) -> wireseal.Policy | None:
    """The policy of a case; None, which is the default one, where it says nothing."""
    settings = {**message.get("policy", {}), **more}
    return wireseal.Policy(**settings) if settings else None


def admit(message: Case, *, text: bool = False, **policy: Any) -> wireseal.Message:
    """Admits the message of a case; with `text` from a mutable buffer and headers of str."""
    arguments: dict[str, Any] = {}
    headers: list[Any] | None = None
    if message["http"] is not None:
        headers = [tuple(pair) for pair in message["http"]["headers"]]
        if not text:
            headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        arguments["http_method"] = message["http"]["method"]
    if "legacy_version" in message:
        arguments["legacy_version"] = message["legacy_version"]
    if "tool_schema" in message:
        # Once as the host's JSON, once compiled before.
        tools = {name: schema.encode() for name, schema in message["tool_schema"].items()}
        compiled = {name: wireseal.param_headers(schema) for name, schema in tools.items()}
        arguments["tool_schema"] = (compiled if text else tools).get
    body = body_of(message)
    return wireseal.admit(bytearray(body) if text else body, headers, policy_of(message, **policy), **arguments)


def value(text: str | None) -> Any:
    """A JSON text of a vector as a Python value; None for none."""
    return None if text is None else json.loads(text)


def raw(text: str | None) -> bytes | None:
    """A JSON text of a vector as bytes; None for none."""
    return None if text is None else text.encode()


def same(name: str, found: object, wanted: object) -> None:
    """Equal, and of the same type: 1, 1.0 and True are three things."""
    assert (name, type(found), found) == (name, type(wanted), wanted)


def check_view(msg: wireseal.Message, expect: Case) -> None:
    """Compares an admitted message with what a case says about it."""
    only(expect, f"verdict {VIEW}")
    for name in set(VIEW.split()) & set(expect):
        wanted = value(expect[name]) if name in JSON_TEXTS.split() else expect[name]
        same(name, getattr(msg, name), wanted)
    for name in ("params", "arguments"):
        if name in expect:
            same(f"{name}_json", getattr(msg, f"{name}_json"), raw(expect[name]))


def check_refusal(rejected: wireseal.Rejected, expect: Case) -> None:
    """Compares a refusal with what a case says about it, and its answer byte for byte."""
    only(expect, "verdict reason code status message id data offset sent allow")
    for name in ("reason", "code", "status", "message"):
        same(name, getattr(rejected, name), expect[name])
    same("id", rejected.id, value(expect["id"]))
    same("data", rejected.data, value(expect["data"]))
    if "offset" in expect:
        same("offset", rejected.offset, expect["offset"])
    same("allow", rejected.allow, expect.get("allow"))
    same("to_bytes()", rejected.to_bytes(), answer_of(expect))


def answer_of(expect: Case) -> bytes:
    """The exact bytes of a refusal, put together from its parts."""
    if not expect["sent"]:
        return b""
    id_ = "" if expect["id"] is None else f'"id":{expect["id"]},'
    data = "" if expect["data"] is None else f',"data":{expect["data"]}'
    message = json.dumps(expect["message"])
    return f'{{"jsonrpc":"2.0",{id_}"error":{{"code":{expect["code"]},"message":{message}{data}}}}}'.encode()


@pytest.mark.parametrize(("file", "case"), cases("admit"))
def test_admit(file: str, case: Case) -> None:
    only(case, f"id rules why expect {MESSAGE}")
    expect = case["expect"]
    assert expect["verdict"] in ("admitted", "rejected")
    for text in (False, True):
        if expect["verdict"] == "admitted":
            check_view(admit(case, text=text), expect)
        else:
            with pytest.raises(wireseal.Rejected) as caught:
                admit(case, text=text)
            check_refusal(caught.value, expect)


def call(case: Case) -> Any:
    """Makes the call of a reply case; bytes, or the pair that `error` returns."""
    given, request = case["with"], case["request"]
    match case["call"]:
        case "complete":
            options = {key: given[key] for key in ("ttl_ms", "cache_scope") if key in given}
            info = raw(given.get("server_info"))
            return wireseal.complete(admit(request), given["result"].encode(), server_info=info, **options)
        case "input_required":
            # Here the identity is the policy's, so that both ways are covered.
            policy = {"server_info": given["server_info"].encode()} if "server_info" in given else {}
            questions = {key: question.encode() for key, question in given["questions"]}
            state = given.get("request_state")
            return wireseal.input_required(admit(request, **policy), questions, request_state=state)
        case "error":
            msg = None if request is None else admit(request)
            return wireseal.error(msg, given["code"], given["message"], raw(given.get("data")))
        case "resource_not_found":
            return wireseal.resource_not_found(admit(request))
        case "elicit":
            return wireseal.elicit(given["message"], given["schema"].encode())
        case "require":
            return admit(request).require(given["required"].encode())
        case other:
            raise AssertionError(f"unknown call {other}")


def has_equal_keys(case: Case) -> bool:
    keys = [key for key, _ in case["with"].get("questions", ())]
    return len(set(keys)) != len(keys)


# A dict cannot hold two equal keys, so what happens then is for the core's own runner.
@pytest.mark.parametrize(("file", "case"), [one for one in cases("reply") if not has_equal_keys(one.values[1])])
def test_reply(file: str, case: Case) -> None:
    only(case, "id rules why request call with expect")
    only(case["request"] or {}, MESSAGE)
    only(case["with"], ARGUMENTS[case["call"]])
    expect = case["expect"]
    only(expect, "text status rejected misuse ok")
    if "rejected" in expect:
        with pytest.raises(wireseal.Rejected) as caught:
            call(case)
        check_refusal(caught.value, expect["rejected"])
    elif expect.get("misuse") is True:
        with pytest.raises((ValueError, TypeError)):
            call(case)
    elif expect.get("ok") is True:
        assert call(case) is None
    elif case["call"] in ("error", "resource_not_found"):
        same(case["call"], call(case), (expect["status"], expect["text"].encode()))
    else:
        same("bytes", call(case), expect["text"].encode())


def sealer_of(case: Case) -> wireseal.Sealer:
    """The sealer of a seal case."""
    given = case["sealer"]
    keys = [bytes.fromhex(key) for key in given["keys_hex"]]
    ttl = given["lifetime_ms"] / 1000
    return wireseal.Sealer(
        keys, audience=given["audience"], ttl=ttl, format=given["format"], accept=tuple(given["accept"])
    )


def is_text(text: str | None) -> bool:
    """Whether it can be UTF-8: an unpaired surrogate cannot."""
    return text is None or not any("\ud800" <= character <= "\udfff" for character in text)


def parts_of(case: Case) -> tuple[str, str | None, bytes | None]:
    """Method, target and arguments of the request of a seal case, as `seal_for` takes them."""
    request = case["request"]
    return value(request["method_json"]), value(request["target_json"]), raw(request["arguments_json"])


def message_of(case: Case) -> wireseal.Message | None:
    """The same request as an admitted message; None where it cannot be one."""
    method, target, _ = parts_of(case)
    target_name = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}.get(method)
    arguments = case["request"]["arguments_json"]
    token = value(case.get("token_json"))
    if target_name is None or target is None or not is_text(target) or not is_text(token):
        return None
    if arguments is not None and not isinstance(json.loads(arguments, parse_int=str), dict):
        return None
    members = {
        target_name: case["request"]["target_json"],
        "arguments": arguments,
        "requestState": case.get("token_json"),
        "inputResponses": case.get("input_responses_json"),
    }
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    params = "".join(f',"{name}":{text}' for name, text in members.items() if text is not None)
    head = f'{{"jsonrpc":"2.0","id":1,"method":{case["request"]["method_json"]}'
    body = f'{head},"params":{{"_meta":{json.dumps(meta)}{params}}}}}'
    return wireseal.admit(body.encode(), policy=wireseal.Policy(max_depth=256))


def check_state_refusal(rejected: wireseal.Rejected, reason: str, id_: int | None) -> None:
    """A refused token: the reason is for the host, and the peer learns nothing from it."""
    same("reason", rejected.reason, reason)
    if reason.startswith("state-"):
        answer = {
            "verdict": "rejected",
            "reason": reason,
            "code": -32602,
            "status": 400,
            "id": None if id_ is None else str(id_),
            "message": "Invalid or expired requestState",
            "data": '{"reason":"invalid_request_state"}',
            "sent": True,
        }
        check_refusal(rejected, answer)


def check_sealed(case: Case, token: Any, id_: int | None) -> None:
    """Calls `token` and compares what comes of it with what a seal case expects."""
    expect = case["expect"]
    if "token" in expect:
        same("token", token(), expect["token"])
    elif "reason" in expect and id_ is not None:  # without a message the arguments are the host's own
        with pytest.raises(wireseal.Rejected) as caught:
            token()
        check_state_refusal(caught.value, expect["reason"], id_)
    else:
        with pytest.raises(ValueError):
            token()


def check_opened(case: Case, opened: Any, id_: int | None) -> None:
    """Calls `opened` and compares what comes of it with what a seal case expects."""
    expect = case["expect"]
    if "reason" in expect:
        with pytest.raises(wireseal.Rejected) as caught:
            opened()
        check_state_refusal(caught.value, expect["reason"], id_)
        return
    if "misuse" in expect:
        with pytest.raises(ValueError):
            opened()
        return
    found = opened()
    for name in ("state", "key_id", "token_id", "reissue_key"):
        same(name, getattr(found, name), bytes.fromhex(expect[f"{name}_hex"]))
    for name in ("issued_at", "expires_at"):
        same(name, getattr(found, name), expect[f"{name}_ms"] / 1000)
    same("format", found.format, expect["format"])
    same("bound", found.bound, frozenset(expect["bound"]))


@pytest.mark.parametrize(("file", "case"), cases("seal"))
def test_seal(file: str, case: Case) -> None:
    """Each case once by the parts of the request, and once by a message where it can be one."""
    only(case, "id rules why call sealer request state_hex token_json input_responses_json now_ms random_hex expect")
    only(case["sealer"], "keys_hex audience lifetime_ms format accept")
    only(case.get("request", {}), "method_json target_json arguments_json principal")
    opened = "state_hex issued_at_ms expires_at_ms key_id_hex token_id_hex reissue_key_hex format bound"
    only(case["expect"], f"ok token reason misuse {opened}")
    if case["call"] == "new":
        if case["expect"].get("ok") is True:
            sealer_of(case)
        else:
            with pytest.raises(ValueError):
                sealer_of(case)
        return
    sealer, parts, msg = sealer_of(case), parts_of(case), message_of(case)
    common: dict[str, Any] = {"principal": case["request"]["principal"], "now_ms": case["now_ms"]}
    if case["call"] == "seal":
        state, fixed = bytes.fromhex(case["state_hex"]), bytes.fromhex(case["random_hex"])

        def by_parts() -> Any:
            return _testing.seal_for_with(sealer, *parts, state, random=fixed, **common)

        def by_message() -> Any:
            assert msg is not None
            return _testing.seal_with(sealer, msg, state, random=fixed, **common)

        check: Any = check_sealed
    else:
        assert case["call"] == "open"
        token, answers = value(case["token_json"]), raw(case["input_responses_json"])

        def by_parts() -> Any:
            return _testing.open_for_at_ms(sealer, token, *parts, input_responses_json=answers, **common)

        def by_message() -> Any:
            assert msg is not None
            return _testing.open_at_ms(sealer, msg, **common)

        check = check_opened
    if is_text(parts[0]) and is_text(parts[1]):
        check(case, by_parts, None)
    else:
        # Python's own text may hold what no UTF-8 does; the core takes it in its JSON spelling only.
        with pytest.raises(ValueError):
            by_parts()
    if msg is not None:
        check(case, by_message, 1)


@pytest.mark.parametrize(("file", "case"), cases("canonical"))
def test_canonical(file: str, case: Case) -> None:
    """Against the vector, and the vector against Python's own `json`."""
    only(case, "id rules why json expect")
    only(case["expect"], "digest_hex python python_digest_hex")
    text, expect = case["json"], case["expect"]
    digest = expect["digest_hex"]
    if digest is None:
        with pytest.raises(ValueError):
            _testing.digest(raw(text))
    else:
        same("digest", _testing.digest(raw(text)), bytes.fromhex(digest))
    if text is None:
        canonical, given = "{}", None
    elif expect["python"] is None:
        with pytest.raises(ValueError):
            _testing.canonical_python(text.encode())
        return
    else:
        given = json.loads(text)
        canonical = json.dumps(given, sort_keys=True, separators=(",", ":")) if given else "{}"
        same("canonical", _testing.canonical_python(text.encode()), expect["python"].encode())
        same("json.dumps", json.dumps(given, sort_keys=True, separators=(",", ":")), expect["python"])
    same("python_digest", hashlib.sha256(canonical.encode()).hexdigest()[:32], expect["python_digest_hex"])


def test_every_vector_file_is_run() -> None:
    """Here, or in a test file that names it; but for nonce.json: in Python a sealer takes its nonces itself."""
    here = {"admit", "reply", "seal", "canonical", "schema", "nonce"}
    others = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    for path in VECTORS.glob("*.json"):
        assert path.stem in here or f'"{path.name}"' in others, path.name
