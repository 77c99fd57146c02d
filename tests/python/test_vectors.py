"""Runs the shared vectors of tests/vectors against the Python module. What a case says: tests/vectors/README.md."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
import wireseal

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
Case = dict[str, Any]


def cases(name: str) -> list[Any]:
    """The cases of one file as parameters, each under its own id."""
    document = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
    assert document["format"] == f"wireseal-{name}/1"
    assert document["cases"], f"{name}.json has no cases"
    return [pytest.param(name, case, id=case["id"]) for case in document["cases"]]


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
    for name in ("kind", "era", "version", "method", "name", "request_state", "log_level"):
        if name in expect:
            same(name, getattr(msg, name), expect[name])
    for name in ("id", "params", "arguments", "input_responses", "client_info", "capabilities", "progress_token"):
        if name in expect:
            same(name, getattr(msg, name), value(expect[name]))
    for name in ("params", "arguments"):
        if name in expect:
            same(f"{name}_json", getattr(msg, f"{name}_json"), raw(expect[name]))


def check_refusal(rejected: wireseal.Rejected, expect: Case) -> None:
    """Compares a refusal with what a case says about it, and its answer byte for byte."""
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
    expect = case["expect"]
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
    expect = case["expect"]
    if "rejected" in expect:
        with pytest.raises(wireseal.Rejected) as caught:
            call(case)
        check_refusal(caught.value, expect["rejected"])
    elif "misuse" in expect:
        with pytest.raises((ValueError, TypeError)):
            call(case)
    elif "ok" in expect:
        assert call(case) is None
    elif case["call"] == "error":
        same("error()", call(case), (expect["status"], expect["text"].encode()))
    else:
        same("bytes", call(case), expect["text"].encode())
