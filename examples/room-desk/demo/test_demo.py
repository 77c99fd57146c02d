"""The demo's own promises: it fails when anything differs, and it shows the wire as it was."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Callable, Iterator

import pytest

import run
from stage import Stage, shorten


@pytest.fixture(autouse=True)
def leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No ACTS or DEMO from outside, and the signal handlers as they were."""
    monkeypatch.delenv("ACTS", raising=False)
    monkeypatch.delenv("DEMO", raising=False)
    monkeypatch.setattr(run, "missing", lambda act: None)
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def demo(monkeypatch: pytest.MonkeyPatch, act: Callable[[Stage], None]) -> int:
    monkeypatch.setattr(run, "ACTS", {1: act})
    monkeypatch.setattr("sys.argv", ["run.py", "--acts", "1"])
    return run.main()


def test_all_as_expected_is_success(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert demo(monkeypatch, lambda stage: stage.check("room", "cinder", "cinder")) == 0
    assert "1 of 1 as expected" in capsys.readouterr().out


def test_a_difference_is_failure(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert demo(monkeypatch, lambda stage: stage.check("room", "cinder", "basalt")) == 1
    assert "0 of 1 as expected" in capsys.readouterr().out


def test_an_act_that_breaks_off_is_failure(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(stage: Stage) -> None:
        stage.check("room", "cinder", "cinder")
        raise ConnectionError("nobody there")

    assert demo(monkeypatch, broken) == 1
    assert "ConnectionError: nobody there" in capsys.readouterr().out


@pytest.mark.parametrize(("strict", "code"), [("", 0), ("all", 1)])
def test_an_act_that_cannot_run_is_failure_only_if_all_must(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], strict: str, code: int
) -> None:
    monkeypatch.setenv("DEMO", strict)
    monkeypatch.setattr(run, "missing", lambda act: "mcp" if act == 2 else None)
    monkeypatch.setattr(run, "ACTS", {act: lambda stage: stage.check("x", "y", "y") for act in (1, 2)})
    monkeypatch.setattr("sys.argv", ["run.py", "--acts", "1-2"])
    assert run.main() == code
    assert "2 not run: mcp is missing. To install it: .venv/bin/pip install" in capsys.readouterr().out


def test_nothing_run_is_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "missing", lambda act: "mcp")
    assert demo(monkeypatch, lambda stage: None) == 1


def test_acts_are_chosen_by_number_and_range() -> None:
    assert run.selected("1-7") == [1, 2, 3, 4, 5, 6, 7]
    assert run.selected("6,1-2") == [1, 2, 6]
    for wrong in ("", "0", "8", "2-1", "one", "1,"):
        with pytest.raises(argparse.ArgumentTypeError):
            run.selected(wrong)


def test_short_json_is_shown_whole_and_long_json_is_marked() -> None:
    assert shorten({"id": 1, "ok": [True, None]}) == '{"id": 1, "ok": [true, null]}'
    assert shorten({"_meta": {"a": 1}}) == '{"_meta": {...}}'
    assert shorten({"_meta": {"a": 1}}, show_meta=True) == '{"_meta": {"a": 1}}'
    assert shorten({"requestState": "w1." + "x" * 100}) == '{"requestState": "w1.xxxxxxxxxxxxx...(103 characters)"}'
    deep = {"a": {"b": {"c": {"d": ["x" * 90] * 9}}}}
    assert shorten(deep) == '{"a": {"b": {"c": {"d": [...]}}}}'
