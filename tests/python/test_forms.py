"""Forms: tests/vectors/form.json in Python, and the content checks beside the `jsonschema` package."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import wireseal

Case = dict[str, Any]
DOCUMENT = json.loads((Path(__file__).resolve().parents[1] / "vectors" / "form.json").read_text(encoding="utf-8"))
assert DOCUMENT["format"] == "wireseal-form/1"
CASES: list[Any] = [pytest.param(case, id=case["id"]) for case in DOCUMENT["cases"]]


def raw(case: Case, name: str) -> bytes:
    return bytes(case[name], "utf-8")


def run(case: Case) -> Any:
    """What a case leads to, in the words of its `expect`."""
    if "sample" in case:
        question = json.loads(wireseal.sample(raw(case, "sample")))
        assert question == {"method": "sampling/createMessage", "params": json.loads(case["sample"])}
        return {"ok": True}
    if "requests" in case:
        missing, invalid = wireseal.check_input_responses(raw(case, "requests"), raw(case, "responses") if case["responses"] else None)
        assert all((refusal.code, refusal.status) == (-32602, 400) for refusal in invalid.values())
        return {"missing": missing, "invalid": {key: [r.reason, r.member] for key, r in invalid.items()}}
    if "content" in case:
        try:
            wireseal.check_elicitation(raw(case, "schema"), raw(case, "content"))
        except wireseal.Rejected as refusal:
            return {"reason": refusal.reason, "member": refusal.member}
        return {"ok": True}
    question = json.loads(wireseal.elicit("m", raw(case, "schema")))
    assert question["params"]["requestedSchema"] == json.loads(case["schema"])
    return {"ok": True}


@pytest.mark.parametrize("case", CASES)
def test_vector(case: Case) -> None:
    if "misuse" in case["expect"]:
        with pytest.raises(ValueError) as caught:
            run(case)
        prop = case["expect"].get("property")
        assert prop is None or f'property "{prop}"' in str(caught.value)
    else:
        assert run(case) == case["expect"]


def random_field(rng: random.Random) -> Case:
    """One field of a form, of any kind."""
    options = rng.sample(["a", "b", "c", "ä", "😀"], rng.randint(1, 4))
    low, high = sorted((rng.randint(0, 3), rng.randint(0, 4)))
    titled = [{"const": option, "title": option.upper()} for option in options]
    return rng.choice(
        [
            {"type": "string"},
            {"type": "string", "minLength": low, "maxLength": high},
            {"type": "number", "minimum": low, "maximum": high},
            {"type": "integer", "minimum": -low},
            {"type": "integer", "maximum": high},
            {"type": "boolean"},
            {"type": "string", "enum": options},
            {"type": "string", "oneOf": titled},
            {"type": "array", "items": {"type": "string", "enum": options}, "minItems": low, "maxItems": high},
            {"type": "array", "items": {"anyOf": titled}},
        ]
    )


def random_value(rng: random.Random) -> Any:
    """A value that content can have, or one close to it."""
    text = "".join(rng.choices("abcä😀", k=rng.randint(0, 4)))
    return rng.choice(
        [text, rng.choice("abcä😀"), rng.randint(-2, 5), rng.randint(-4, 10) / 2, True, False, list(text), [text]]
    )


def test_jsonschema_agrees_on_random_forms() -> None:
    """ELIC-23: 20,000 forms and contents beside an independent validator. Halves are exact in binary, so its floats
    decide as digits do. What the specification adds to JSON Schema, the types that content can have, the values
    here keep to."""
    rng = random.Random(20260728)
    verdicts = {True: 0, False: 0}
    for _ in range(20_000):
        names = rng.sample("pqrs", rng.randint(0, 3))
        schema: Case = {"type": "object", "properties": {name: random_field(rng) for name in names}}
        if rng.random() < 0.5:
            schema["required"] = rng.sample(names, rng.randint(0, len(names)))
        if rng.random() < 0.3:
            schema["additionalProperties"] = rng.random() < 0.5
        content = {name: random_value(rng) for name in rng.sample("pqrs", rng.randint(0, 3))}
        expected = jsonschema.Draft202012Validator(schema).is_valid(content)
        try:
            wireseal.check_elicitation(schema, content)
            found = True
        except wireseal.Rejected:
            found = False
        assert found == expected, (schema, content)
        verdicts[found] += 1
    assert min(verdicts.values()) > 2_000, verdicts


def test_the_refusal_answers_the_request() -> None:
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": "q-1",
            "method": "tools/call",
            "params": {
                "name": "t",
                "_meta": {
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": {},
                },
            },
        }
    ).encode()
    msg = wireseal.admit(body)
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    with pytest.raises(wireseal.Rejected) as caught:
        wireseal.check_elicitation(schema, {"n": "secret words"}, msg=msg)
    assert (caught.value.id, caught.value.member, caught.value.reason) == ("q-1", "n", "form-type")
    answer = json.loads(caught.value.to_bytes())
    assert answer["id"] == "q-1" and answer["error"]["code"] == -32602 and b"secret" not in caught.value.to_bytes()
    requests = {"a": wireseal.elicit("?", schema)}
    with pytest.raises(TypeError):  # bytes are JSON already: a mapping cannot hold them
        wireseal.check_input_responses(requests, None)
    missing, invalid = wireseal.check_input_responses({"a": json.loads(requests["a"])}, {"a": {"action": "x"}}, msg=msg)
    assert missing == [] and json.loads(invalid["a"].to_bytes())["id"] == "q-1"


def test_the_other_questions() -> None:
    """ELIC-03, ROOT-03: the URL mode and the roots, as `input_required` takes them."""
    assert json.loads(wireseal.list_roots()) == {"method": "roots/list"}
    url = json.loads(wireseal.elicit_url('say "yes"', "https://example.com/a?b=c"))
    assert url["params"] == {"mode": "url", "message": 'say "yes"', "url": "https://example.com/a?b=c"}
    for bad in ("", "example.com", "https://example.com/ a", "https://ä.example"):
        with pytest.raises(ValueError):
            wireseal.elicit_url("m", bad)


def test_tool_uses_beyond_the_limit_cost_no_more_than_a_look() -> None:
    """SAMP-04: the uses are what a client's model has said; every pair is looked at only for as many as there may be."""

    def params(count: int) -> dict[str, Any]:
        uses = [{"type": "tool_use", "id": f"i{n}", "name": "t", "input": {}} for n in range(count)]
        results = [{"type": "tool_result", "toolUseId": f"i{n}", "content": []} for n in reversed(range(count))]
        messages = [{"role": "assistant", "content": uses}, {"role": "user", "content": results}]
        return {"messages": messages, "maxTokens": 1}

    assert json.loads(wireseal.sample(params(128)))["params"] == params(128)
    for count in (129, 10000):
        began = time.process_time()
        with pytest.raises(ValueError, match="tool_use"):
            wireseal.sample(params(count))
        assert time.process_time() - began < 5  # every pair of 10,000 would be minutes
