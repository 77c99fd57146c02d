"""Builds the fuzz targets and runs them side by side; ends with one line: N passed, M failed.

usage: run.py [--seconds S | --cpu-seconds S] [--jobs J] [--seed N] [TARGET ...]

No cargo-fuzz is needed: the flags below are those that it passes. The unstable ones among them are let through to the
stable compiler by RUSTC_BOOTSTRAP. Beside corpus/, the cases of tests/vectors/admit.json are seeds of `admit`, those of
param.json of `param`, those of stream.json of `framer` and `sse`, those of legacy.json of `legacy`, those of form.json of
`check_elicitation` and `check_input_responses`, those of client.json of `read_result`. What a run finds of new paths is kept under target/, and an input that fails in artifacts/.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
VECTORS = HERE.parent / "vectors"
TARGET_DIR = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent.parent / "target" / "fuzz"))
TRIPLE = "x86_64-unknown-linux-gnu"
TARGETS = (
    "scan",
    "admit",
    "headers",
    "param",
    "framer",
    "sse",
    "open",
    "legacy",
    "check_elicitation",
    "check_input_responses",
    "read_result",
)
FLAGS = (
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
    "-Zsanitizer=address",
    "-Ccodegen-units=1",
    "--cfg=fuzzing",
)
# libFuzzer's exit code when it is told to stop.
INTERRUPTED = 72


@dataclass
class Outcome:
    """How one target's run ended."""

    target: str
    code: int
    executions: int
    corpus: int
    cpu_seconds: float
    log: Path


def build(targets: list[str]) -> None:
    """Compiles the targets with coverage and AddressSanitizer."""
    environment = dict(os.environ, RUSTC_BOOTSTRAP="1", CARGO_ENCODED_RUSTFLAGS="\x1f".join(FLAGS))
    environment.pop("RUSTFLAGS", None)
    command = ["cargo", "build", "-q", "--release", "--locked", "--target", TRIPLE, "--target-dir", str(TARGET_DIR)]
    for target in targets:
        command += ["--bin", target]
    subprocess.run(command, cwd=HERE, env=environment, check=True)


def seeds_of_admit(folder: Path) -> None:
    """Writes the vectors in the form that fuzz_targets/admit.rs reads."""
    folder.mkdir(parents=True, exist_ok=True)
    versions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
    for number, case in enumerate(json.loads((VECTORS / "admit.json").read_text())["cases"]):
        if "body" not in case or len(case["body"]) > 3000:
            continue
        http = case.get("http")
        policy = "1" if case.get("policy", {}).get("legacy") else "0"
        transport = "s" if http is None else "g" if http["method"] == "GET" else "p"
        version = case.get("legacy_version")
        session = str(versions.index(version)) if version in versions else "x"
        lines = "".join(f"{name}: {value}\n" for name, value in (http or {}).get("headers", []))
        head = f"{policy}{transport}{session}f{lines}\n".encode("latin-1", "replace")
        (folder / f"{number:04}").write_bytes(head + case["body"].encode())


def seeds_of_param(folder: Path) -> None:
    """Writes the vectors in the form that fuzz_targets/param.rs reads."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, case in enumerate(json.loads((VECTORS / "param.json").read_text())["cases"]):
        lines = "".join(f"{name}: {value}\n" for name, value in case.get("headers", []))
        text = f"{case['schema']}\n--\n{case.get('arguments') or 'null'}\n--\n"
        if len(text) < 3000:
            (folder / f"{number:04}").write_bytes(text.encode() + lines.encode("latin-1"))


def seeds_of_stream(folder: Path) -> None:
    """Writes the vectors in the form that fuzz_targets/framer.rs or sse.rs reads."""
    folder.mkdir(parents=True, exist_ok=True)
    call = {"framer": "lines", "sse": "events"}[folder.name]
    limits = [1, 2, 3, 8, 16, 64, 1024]
    for number, case in enumerate(json.loads((VECTORS / "stream.json").read_text())["cases"]):
        chunks = case.get("chunks", ())
        if case["call"] == call and all(isinstance(chunk, str) for chunk in chunks):
            limit = limits.index(case["max_bytes"]) if case["max_bytes"] in limits else 7
            (folder / f"{number:04}").write_bytes(bytes([limit, number]) + "".join(chunks).encode("latin-1"))


def seeds_of_legacy(folder: Path) -> None:
    """Writes the sessions in the form that fuzz_targets/legacy.rs reads."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, case in enumerate(json.loads((VECTORS / "legacy.json").read_text())["cases"]):
        lines: list[str] = []
        for step in case.get("steps", ()):
            if "receive" in step:
                lines.append("<" + step["receive"])
            elif "request" in step:
                lines += ["<" + step["during"], "?" + step["request"]]
            else:
                lines.append(f"!{step['cancel']}" if "cancel" in step else ".")
        if "batch" in case and len(case["batch"]) < 3000:
            lines.append("[" + case["batch"])
        if lines:
            (folder / f"{number:04}").write_text("\n".join(lines))


def seeds_of_forms(folder: Path) -> None:
    """Writes the vectors as two texts with a line of two dashes between them."""
    folder.mkdir(parents=True, exist_ok=True)
    first, second = {
        "check_elicitation": ("schema", "content"),
        "check_input_responses": ("requests", "responses"),
    }[folder.name]
    for number, case in enumerate(json.loads((VECTORS / "form.json").read_text())["cases"]):
        if first in case:
            (folder / f"{number:04}").write_text(f"{case[first]}\n--\n{case.get(second) or ''}")


def cpu_seconds(pid: int) -> float:
    """Processor time that a running process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def seeds_of_client(folder: Path) -> None:
    """Writes the vectors in the form that fuzz_targets/read_result.rs reads."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, case in enumerate(json.loads((VECTORS / "client.json").read_text())["cases"]):
        given = case["with"]
        answer = given.get("received") or given.get("body") or ""
        (folder / f"{number:04}").write_text(f"{given.get('sent', '')}\n--\n{answer}\n--\n{given.get('responses', '{}')}")


SEEDS: dict[str, Callable[[Path], None]] = {
    "admit": seeds_of_admit,
    "param": seeds_of_param,
    "framer": seeds_of_stream,
    "sse": seeds_of_stream,
    "legacy": seeds_of_legacy,
    "check_elicitation": seeds_of_forms,
    "check_input_responses": seeds_of_forms,
    "read_result": seeds_of_client,
}


def run(target: str, arguments: argparse.Namespace) -> Outcome:
    """Runs one target until its time is over or it fails."""
    found = TARGET_DIR / "corpus" / target
    artifacts = HERE / "artifacts" / target
    log = TARGET_DIR / f"{target}.log"
    for folder in (found, artifacts):
        folder.mkdir(parents=True, exist_ok=True)
    corpora = [found, HERE / "corpus" / target]
    seeds = SEEDS.get(target)
    if seeds is not None:
        corpora.append(TARGET_DIR / "seeds" / target)
        seeds(corpora[-1])
    command = [
        str(TARGET_DIR / TRIPLE / "release" / target),
        f"-seed={arguments.seed}",
        f"-dict={HERE / 'words.dict'}",
        f"-artifact_prefix={artifacts}/",
        "-max_len=4096",
        "-timeout=20",
        "-rss_limit_mb=1024",
        "-detect_leaks=0",
        "-print_final_stats=1",
        *map(str, corpora),
    ]
    if arguments.cpu_seconds is None:
        command.insert(1, f"-max_total_time={arguments.seconds}")
    with log.open("wb") as sink:
        process = subprocess.Popen(command, stdout=sink, stderr=subprocess.STDOUT, cwd=HERE)
        used = 0.0
        stopped = False
        while process.poll() is None:
            try:
                used = cpu_seconds(process.pid)
            except (FileNotFoundError, ProcessLookupError):
                break
            if arguments.cpu_seconds is not None and used >= arguments.cpu_seconds and not stopped:
                process.send_signal(signal.SIGINT)
                stopped = True
            time.sleep(0.2)
        code = process.wait()
    if stopped and code == INTERRUPTED:
        code = 0
    text = log.read_text(errors="replace")
    executions = re.search(r"number_of_executed_units: *(\d+)", text)
    corpus = re.findall(r"corp: (\d+)/", text)
    return Outcome(target, code, int(executions[1]) if executions else 0, int(corpus[-1]) if corpus else 0, used, log)


def reported(log: str) -> str:
    """What a log says about the failure, without the stack."""
    lines = [line for line in log.splitlines() if not re.match(r"\s+#\d+ |#\d+\t|NOTE:|0x", line)]
    return "\n".join(lines[-30:])


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds and runs the fuzz targets.")
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--cpu-seconds", type=int)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=20260728)
    parser.add_argument("targets", nargs="*", default=TARGETS, metavar="TARGET")
    arguments = parser.parse_args()
    targets = list(arguments.targets)
    build(targets)
    start = time.monotonic()
    with ThreadPoolExecutor(max_workers=arguments.jobs) as pool:
        outcomes = list(pool.map(lambda target: run(target, arguments), targets))
    failed = 0
    for outcome in outcomes:
        good = outcome.code == 0 and outcome.executions > 0
        failed += not good
        print(
            f"{'pass' if good else 'wrong'}  {outcome.target:<21} {outcome.executions:>10} executions"
            f" {outcome.cpu_seconds:>7.0f} s of processor time, {outcome.corpus} inputs in the corpus"
        )
        if not good:
            print(reported(outcome.log.read_text(errors="replace")))
    print(f"{len(outcomes) - failed} passed, {failed} failed in {time.monotonic() - start:.1f}s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
