"""WireSeal beside the classifiers of the official SDKs; prints the kinds of disagreement."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import wireseal
from generate import LEGACY, Request, generate
from kinds import KINDS, Found, kind_of
from mcp.shared.inbound import InboundLadderRejection, classify_inbound_request, find_duplicated_routing_header
from mcp.server._streamable_http_modern import _is_notification_shaped
from mcp_types.jsonrpc import JSONRPCNotification, JSONRPCRequest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "sdk-differences.md"
MODERN_ONLY = wireseal.Policy()
BOTH = wireseal.Policy(legacy=LEGACY)
Verdict = tuple[str, int | None]  # "modern", "legacy", "accepted" (a notification) or "refused", and a code


def ours(request: Request, policy: wireseal.Policy) -> tuple[Verdict, str]:
    """WireSeal's verdict, and its reason."""
    try:
        message = wireseal.admit(request.body_text().encode(), request.headers, policy)
    except wireseal.Rejected as refusal:
        sent = refusal.to_bytes()
        return (("refused" if sent else "dropped"), refusal.code), refusal.reason
    if message.kind != "request":
        return ("accepted", None), ""
    return (message.era, None), ""


def python(request: Request) -> Verdict:
    """What the Python SDK's HTTP entry decides, by the functions that it decides with, in its order."""
    header = next((value for name, value in request.headers if name == "mcp-protocol-version"), None)
    if header is None or header.strip() in HANDSHAKE_PROTOCOL_VERSIONS:
        return "legacy", None
    try:
        decoded = json.loads(request.body_text())
    except ValueError:
        return "refused", -32700
    if _is_notification_shaped(decoded):
        try:
            JSONRPCNotification.model_validate(decoded)
        except ValidationError:
            return "refused", -32600
        return ("accepted", None) if header.strip() == "2026-07-28" else ("refused", -32022)
    try:
        JSONRPCRequest.model_validate(decoded)
    except ValidationError:
        return "refused", -32600
    headers = [(name, value.strip(" \t")) for name, value in request.headers]  # as the HTTP server hands them over
    if find_duplicated_routing_header(headers) is not None:
        return "refused", -32020
    verdict = classify_inbound_request(decoded, headers=dict(headers))
    return ("refused", verdict.code) if isinstance(verdict, InboundLadderRejection) else ("modern", None)


def typescript(requests: list[Request]) -> list[tuple[Verdict, Verdict]]:
    """What the TypeScript SDK's HTTP entry answers without legacy serving, and how it routes with it."""
    lines = (json.dumps({"headers": request.headers, "body": request.body_text()}) for request in requests)
    run = subprocess.run(["node", HERE / "typescript.mjs"], input="\n".join(lines), capture_output=True, text=True, check=True)
    return [verdicts(json.loads(line)) for line in run.stdout.splitlines()]


def verdicts(found: dict[str, Any]) -> tuple[Verdict, Verdict]:
    entry, route = found["entry"], found["route"]
    if entry["code"] is not None or entry["status"] >= 400:
        strict: Verdict = ("refused", entry["code"])
    else:
        strict = ("accepted", None) if entry["status"] == 202 else ("modern", None)
    dual: Verdict = ("legacy", None) if route["kind"] == "legacy" else strict
    return strict, dual


def disagreements(requests: list[Request]) -> tuple[dict[str, int], list[Found]]:
    """How many verdicts were compared with each SDK, and every disagreement."""
    compared = {"python": 0, "typescript": 0}
    found: list[Found] = []
    for request, (strict, dual) in zip(requests, typescript(requests), strict=True):
        theirs = python(request)
        for policy, sdk, verdict in (
            (MODERN_ONLY, "python", theirs),
            (BOTH, "python", theirs),
            (MODERN_ONLY, "typescript", strict),
            (BOTH, "typescript", dual),
        ):
            if sdk == "python" and policy is MODERN_ONLY and verdict[0] == "legacy":
                continue  # the SDK has no server that is modern only
            mine, reason = ours(request, policy)
            compared[sdk] += 1
            if mine != verdict:
                found.append(Found(sdk, mine, reason, verdict, tuple(request.faults)))
    return compared, found


def page(count: int, seed: int) -> tuple[str, list[Found]]:
    """The table of docs/sdk-differences.md, and the disagreements that no kind explains."""
    compared, found = disagreements(generate(count, seed))
    counts: Counter[tuple[str, str]] = Counter()
    unexplained = []
    for one in found:
        kind = kind_of(one)
        if kind is None:
            unexplained.append(one)
        else:
            counts[kind.name, one.sdk] += 1
    lines = ["| kind | what differs | Python | TypeScript | who follows the specification |", "|---|---|---:|---:|---|"]
    for kind in KINDS:
        row = [counts[kind.name, sdk] for sdk in ("python", "typescript")]
        lines.append(f"| `{kind.name}` | {kind.what} | {row[0]:,} | {row[1]:,} | {kind.follows} |")
    same = {sdk: compared[sdk] - sum(one.sdk == sdk for one in found) for sdk in compared}
    lines.append(f"| | the same verdict and code | {same['python']:,} | {same['typescript']:,} | |")
    return "\n".join(lines), unexplained


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=20260728)
    parser.add_argument("--check", action="store_true", help="compare the page instead of writing it")
    arguments = parser.parse_args()
    table, unexplained = page(arguments.count, arguments.seed)
    for one in unexplained[:20]:
        print(f"no kind explains: {one}")
    start, end = "<!-- table -->\n", "<!-- end -->\n"
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(start)
    written, _, after = rest.partition(end)
    fresh = written == f"\n{table}\n\n"
    if not arguments.check:
        PAGE.write_text(f"{before}{start}\n{table}\n\n{end}{after}", encoding="utf-8")
    elif not fresh:
        print("docs/sdk-differences.md is out of date: run tests/sdks/run.sh --write")
    good = not unexplained and (fresh or not arguments.check)
    print(f"{arguments.count} requests, {len(unexplained)} disagreements without a kind")
    print("1 passed, 0 failed" if good else "0 passed, 1 failed")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
