"""Random and large cases in the form of the vector files, for comparing the core with the reference.

    python tests/reference/random_cases.py N --seed S --out DIR

Writes DIR/seal.json, DIR/canonical.json and DIR/param.json with N random cases each; the second has large values as
well.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import replace
from pathlib import Path

from cases import LIFE, Case, Cases, canonical_case, escaped, open_case, seal_case
from common import MAX_LIFETIME_MS, MAX_TIME_MS, MIN_TIME_MS, Binding, Refused
from random_param import random_case
from sealer import Sealer


def random_text(rng: random.Random) -> str:
    alphabets = [
        "ab",
        'abc"\\/ \n\t',
        "aé\u2028\U0001f600\x00\x7f",
        "".join(map(chr, range(0x20, 0x7F))),
        "a\ud800\udc00\ue000\uffff\U00010000",
    ]
    alphabet = rng.choice(alphabets)
    return "".join(rng.choice(alphabet) for _ in range(rng.choice([0, 1, 2, 3, 8, 20])))


def random_spelling(rng: random.Random, text: str) -> str:
    """The text as JSON, with escapes here and there."""
    # What stands beside a surrogate must not make a pair of it: all are escaped or none.
    out = []
    for char in text:
        way = rng.random()
        short = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "/": "\\/"}
        if char in short and way < 0.7 and not (char == "/" and way < 0.3):
            out.append(short[char])
        elif 0xD800 <= ord(char) < 0xE000 or ord(char) < 0x20 or char in '"\\' or way < 0.15:
            written = escaped(char)[1:-1]
            out.append(
                written if rng.random() < 0.5 else "".join("\\u" + unit.lower() for unit in written.split("\\u")[1:])
            )
        else:
            out.append(char)
    return '"' + "".join(out) + '"'


def random_number(rng: random.Random) -> str:
    kind = rng.randrange(6)
    if kind == 0:
        return str(rng.randint(-20, 20))
    if kind == 1:
        return repr(rng.choice([-1, 1]) * rng.random() * 10 ** rng.randint(-320, 308))
    if kind == 2:
        return str(rng.randint(-(10 ** rng.randint(1, 60)), 10 ** rng.randint(1, 60)))
    digits = "".join(rng.choice("0123456789") for _ in range(rng.randint(1, 25))).lstrip("0") or "0"
    text = rng.choice(["", "-"]) + digits
    if kind >= 4:
        text += "." + "".join(rng.choice("0159") for _ in range(rng.randint(1, 25)))
    if kind != 4:
        text += (
            rng.choice("eE")
            + rng.choice(["", "+", "-"])
            + str(rng.choice([0, 1, 5, 20, rng.randint(0, 340), rng.randint(0, 999_900)]))
        )
    return text


def random_json(rng: random.Random, depth: int) -> str:

    def space() -> str:
        return rng.choice(["", "", "", " ", "\n", "\t ", "\r"])

    kind = rng.randrange(8 if depth else 6)
    if kind == 0:
        value = rng.choice(["null", "true", "false"])
    elif kind < 3:
        value = random_number(rng)
    elif kind < 5:
        value = random_spelling(rng, random_text(rng))
    elif kind == 5:
        value = rng.choice(["{}", "[]", "{ }", "[\n]"])
    else:
        count = rng.choice([1, 1, 2, 3, 5, 18 if depth > 2 else 4])
        inside = [random_json(rng, depth - 1) for _ in range(count)]
        if kind == 6:
            value = "[" + ",".join(inside) + "]"
        else:
            names: dict[str, None] = {}
            while len(names) < count:
                names[random_text(rng) + rng.choice(["", "", str(len(names))])] = None
            value = (
                "{"
                + ",".join(
                    f"{space()}{random_spelling(rng, name)}{space()}:{element}"
                    for name, element in zip(names, inside, strict=True)
                )
                + space()
                + "}"
            )
    return space() + value + space()


def combined(text: str) -> str:
    """The text with escaped halves joined, as a JSON reader sees it."""
    return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")


def random_request(rng: random.Random) -> Binding:
    plain = "".join(char for char in random_text(rng) if not 0xD800 <= ord(char) < 0xE000)
    return Binding(
        rng.choice(["tools/call", "tools/call", "resources/read", "completion/complete", combined(random_text(rng))]),
        rng.choice([None, combined(random_text(rng))]),
        rng.choice([None, random_json(rng, 4), random_json(rng, 4)]),
        rng.choice([None, plain]),
    )


def random_seal_case(rng: random.Random) -> Case:
    secrets = [rng.randbytes(rng.choice([32, 33, 64, 100])) for _ in range(rng.choice([1, 1, 3]))]
    audience = rng.choice([None, "", "desk", "dé\U0001f600"])
    sealer = Sealer(
        tuple(secrets), audience, rng.choice([1, 1000, LIFE, MAX_LIFETIME_MS]), rng.choice(["compact", "python"])
    )
    binding = random_request(rng)
    now = rng.randint(MIN_TIME_MS, MAX_TIME_MS)
    state = rng.randbytes(rng.randint(0, 300))
    if sealer.format == "python":
        state = "".join(char for char in random_text(rng) * 3 if not 0xD800 <= ord(char) < 0xE000).encode()
    fresh = rng.randbytes(20)
    spelt = {
        "method_json": random_spelling(rng, binding.method),
        "target_json": None if binding.target is None else random_spelling(rng, binding.target),
    }
    if rng.random() < 0.4:
        return seal_case(sealer, binding, state, now, fresh, **spelt)
    try:
        token = sealer.seal(binding, state, now, fresh)
    except Refused:
        return seal_case(sealer, binding, state, now, fresh, **spelt)
    change = rng.randrange(8)
    opener = replace(sealer, keys=tuple(rng.sample(sealer.keys, len(sealer.keys))), accept=("python", "compact"))
    now += rng.choice([0, 0, sealer.lifetime_ms - 1, sealer.lifetime_ms, -60_000, -60_001])
    now = max(MIN_TIME_MS, min(MAX_TIME_MS, now))
    answers = rng.choice([None, random_json(rng, 3)])
    shown = binding
    if change == 0:
        shown = replace(binding, arguments=random_request(rng).arguments)
        spelt["arguments_json"] = shown.arguments
    elif change == 1:
        shown = replace(binding, principal=random_request(rng).principal)
    elif change == 2:
        at = rng.randrange(len(token))
        token = token[:at] + rng.choice("AZaz09-_.=") + token[at + 1 :]
    elif change == 3:
        opener = replace(opener, audience=rng.choice([None, "", "desk"]))
    elif change == 4:
        token = token[: rng.randrange(len(token) + 1)]
    spelt["token_json"] = rng.choice([json.dumps(token), escaped(token), random_spelling(rng, token)])
    return open_case(opener, token, shown, now, answers, reason="any", **spelt)


def random_files(count: int, seed: int) -> dict[str, Cases]:
    rng = random.Random(seed)
    seal, canonical = Cases("wireseal-seal/1"), Cases("wireseal-canonical/1")
    seal.cases = [
        {"id": f"RS-12/random-{i}", "rules": ["RS-12"], "why": "random", **random_seal_case(rng)} for i in range(count)
    ]
    canonical.cases = [
        {"id": f"RS-13/random-{i}", "rules": ["RS-13"], "why": "random", **canonical_case(random_json(rng, 5))}
        for i in range(count)
    ]
    for text, word in large_values(rng):
        canonical.add(f"RS-13/large-{word}", "large", canonical_case(text))
    param = Cases("wireseal-param/1")
    param.cases = [
        {"id": f"PRM-24/random-{i}", "rules": ["PRM-24"], "why": "random", **random_case(rng)} for i in range(count)
    ]
    return {"seal.json": seal, "canonical.json": canonical, "param.json": param}


def large_values(rng: random.Random) -> list[tuple[str, str]]:
    many = [f"member {i}" for i in range(100_000)]
    rng.shuffle(many)
    common = [f"{'p' * 100}{i}" for i in range(20_000)]
    spelt = [f'"{i}\\u00{rng.randrange(0x20, 0x7F):02x}"' for i in range(20_000)]
    return [
        (json.dumps(dict.fromkeys(many, 1)), "100000-members"),
        (json.dumps(dict.fromkeys(common, [])), "alike"),
        ("{" + ",".join(f"{name}:{i}" for i, name in enumerate(spelt)) + "}", "escaped"),
        (json.dumps([{"b": i, "a": [[i]]} for i in range(50_000)]), "many-objects"),
        (json.dumps({f"k{i}": {f"m{j}": {"z": 1, "y": {}} for j in range(40)} for i in range(300)}), "nested"),
        ("[" * 255 + '{"b":1,"a":"' + "x" * 1_000_000 + '"}' + "]" * 255, "deep-and-long"),
        ("[" + ",".join(["[" * 200 + "1" + "]" * 200] * 2000) + "]", "towers"),
        (json.dumps(["é\n" * 100_000]), "escapes"),
        ("1" + "0" * 900_000, "900000-zeros"),
        ("0." + "0" * 900_000 + "7", "900000-zeros-before"),
        ("[" + "9" * 1_000_001 + "]", "1000001-digits"),
        ("9" * 1_000_002, "1000002-digits"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    sys.setrecursionlimit(10_000)
    for name, cases in random_files(given.count, given.seed).items():
        (given.out / name).write_text(cases.text())
        print(f"{given.out / name}: {len(cases.cases)} cases")


if __name__ == "__main__":
    main()
