"""What a server sends unasked: tests/vectors/notice.json in Python, and subscriptions as a server keeps them."""

from __future__ import annotations

import gc
import json
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest
import wireseal

DOCUMENT = json.loads((Path(__file__).resolve().parents[1] / "vectors" / "notice.json").read_text(encoding="utf-8"))
assert DOCUMENT["format"] == "wireseal-notice/1"
Case = dict[str, Any]


def admitted(body: str, version: str | None) -> wireseal.Message:
    policy = wireseal.Policy(legacy=() if version is None else (version,))
    return wireseal.admit(body.encode(), policy=policy, legacy_version=version)


def sent(call: Any) -> Case:
    try:
        return {"text": (call() or b"").decode()}
    except ValueError:
        return {"misuse": "by its name in the core"}


def encoded(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def run(call: str, given: Case) -> Any:
    if call == "notification":
        id = None if given["subscription_id"] is None else json.loads(given["subscription_id"])
        return sent(lambda: wireseal.notification(given["method"], encoded(given["params"]), id))
    msg = admitted(given["request"], given.get("version"))
    if call == "progress":
        return [
            sent(
                lambda: wireseal.progress(
                    msg, step["progress"].encode(), encoded(step["total"]), step["message"]  # noqa: B023
                )
            )
            for step in given["steps"]
        ]
    if call == "log":
        return sent(lambda: wireseal.log(msg, given["level"], given["data"].encode(), given["logger"]))
    open = wireseal.Subscriptions(**{kind: True for kind in given["offered"]})
    try:
        acknowledged = open.acknowledge(msg).decode()
    except wireseal.Rejected as refusal:
        return {"rejected": refusal.reason, "status": refusal.status, "answer": refusal.to_bytes().decode()}
    except ValueError:
        return {"misuse": "by its name in the core"}
    told = []
    for kind, uri in given["changes"]:
        found = open.updated(uri) if kind == "resource" else open.changed(kind)
        assert all(to is msg for to, _ in found)
        told.append("".join(data.decode() for _, data in found))
    ended = open.end(msg)
    assert ended is not None and open.end(msg) is None and len(open) == 0
    return {"acknowledged": acknowledged, "sent": told, "ended": ended.decode()}


def without_names(expect: Any) -> Any:
    """The core's names of the host's faults do not reach Python."""
    if isinstance(expect, list):
        return [without_names(one) for one in expect]
    return {"misuse": "by its name in the core"} if "misuse" in expect else expect


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in DOCUMENT["cases"]])
def test_vector(case: Case) -> None:
    assert run(case["call"], case["with"]) == without_names(case["expect"])


META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def message(method: str, id: int | str = 1, meta: Case | None = None, **params: Any) -> wireseal.Message:
    params["_meta"] = META | (meta or {})
    return wireseal.admit(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode())


def listen(id: int | str = 1, **filter: Any) -> wireseal.Message:
    return message("subscriptions/listen", id, notifications=filter)


def test_numbers_and_text_as_python_has_them() -> None:
    call = message("tools/call", name="t", meta={"progressToken": "p"})
    assert json.loads(wireseal.progress(call, 0.25, 1, "a") or b"")["params"] == {
        "progressToken": "p",
        "progress": 0.25,
        "total": 1,
        "message": "a",
    }
    for wrong in (0.25, float("nan"), float("inf"), True, "1", [1], None):
        with pytest.raises((ValueError, TypeError)):
            wireseal.progress(call, wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        wireseal.progress(call, 0.5, message="\ud800")
    assert wireseal.progress(call, 0.5) is not None
    with pytest.raises(ValueError):
        wireseal.log(call, "fatal", {})  # type: ignore[arg-type]
    assert wireseal.log(call, "info", object()) is None  # nobody wants it, so nobody looks at it
    for id in (1.5, True, None, "x" * 513, b"{}", [1]):
        if id is not None:
            with pytest.raises((ValueError, TypeError)):
                wireseal.notification("a/b", None, id)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        wireseal.notification("\ud800")


def test_sub_07_ids_of_two_connections_may_be_equal() -> None:
    all = wireseal.Subscriptions(tools=True, max_open=2)
    one, two, three = (listen(toolsListChanged=True) for _ in range(3))
    for msg in (one, two):
        all.acknowledge(msg)
    with pytest.raises(wireseal.Rejected) as again:
        all.acknowledge(one)
    assert again.value.reason == "duplicate-id"
    with pytest.raises(wireseal.Rejected) as full:
        all.acknowledge(three)
    assert (full.value.reason, full.value.code) == ("subscriptions-full", -32603)
    assert [to for to, _ in all.changed("tools")] == [one, two]
    assert all.discard(one) and not all.discard(one)
    all.acknowledge(three)
    assert all.cancel(1) and not all.cancel("1") and len(all) == 0
    with pytest.raises(ValueError):
        all.changed("roots")  # type: ignore[arg-type]


def test_subscriptions_can_be_collected() -> None:
    """The host may put the registry into what a message was read as."""
    all = wireseal.Subscriptions(tools=True)
    msg = listen(toolsListChanged=True)
    all.acknowledge(msg)
    gone = weakref.ref(witness := type("Witness", (), {})())
    assert msg.params is not None
    msg.params["all"] = (all, witness)
    del all, msg, witness
    gc.collect()
    assert gone() is None


def test_several_threads() -> None:
    all = wireseal.Subscriptions(tools=True)
    requests = [listen(id, toolsListChanged=True) for id in range(200)]
    ended: list[bytes] = []

    def work(mine: list[wireseal.Message]) -> None:
        for msg in mine:
            all.acknowledge(msg)
            all.changed("tools")
        for msg in requests:
            answer = all.end(msg)
            if answer is not None:
                ended.append(answer)

    threads = [threading.Thread(target=work, args=(requests[at::4],)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for msg in requests:
        answer = all.end(msg)
        if answer is not None:
            ended.append(answer)
    assert sorted(json.loads(answer)["id"] for answer in ended) == list(range(200)) and len(all) == 0
