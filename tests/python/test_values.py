"""Header values and the trace context, as Python sees them."""

import base64
import json
from typing import Any

import pytest

import wireseal

PARENT = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def form(text: str) -> str:
    """The Base64 form, by another implementation."""
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


@pytest.mark.parametrize("text", ["", "book_room", "two words", "=?BASE64?aGk=?=", "doc://plain/%C3%BC"])
def test_hdr_05_plain_values_stay_plain(text: str) -> None:
    assert wireseal.header_encode(text) == text
    assert wireseal.header_decode(text) == text


@pytest.mark.parametrize("text", ["müll", " eu ", "a\tb", "=?base64?aGk=?=", "=?base64?=", "\x00", "\U0001f600", "a\nb"])
def test_hdr_05_others_take_the_form(text: str) -> None:
    assert wireseal.header_encode(text) == form(text)
    assert wireseal.header_decode(form(text)) == text
    assert wireseal.header_decode(f"  {form(text)}\t") == text


@pytest.mark.parametrize(
    "value",
    ["ü", "a\x7f", "a\nb", "\ud800", "=?base64?YUdrPQ?=", "=?base64?YUdrPR==?=", "=?base64?//79?=", "=?base64?YQ==YQ==?="],
)
def test_hdr_08_broken_values(value: str) -> None:
    assert wireseal.header_decode(value) is None


def test_unpaired_surrogate_has_no_header_value() -> None:
    with pytest.raises(ValueError, match="surrogate"):
        wireseal.header_encode("\ud800")


def traced(**values: Any) -> dict[str, str]:
    """The trace context of a request with these values."""
    params = {"_meta": {**META, **values}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}
    return wireseal.admit(json.dumps(body).encode()).trace_context


def test_meta_15_trace_context() -> None:
    assert traced() == {}
    whole = {"traceparent": PARENT, "tracestate": "a=1,b=2", "baggage": "user=anna;x"}
    assert traced(**whole) == whole
    assert traced(baggage="a=1") == {"baggage": "a=1"}


@pytest.mark.parametrize("broken", ["abc", {"a": 1}, None, 5, "00-" + "0" * 32 + "-00f067aa0ba902b7-01"])
def test_meta_16_broken_values_are_dropped(broken: Any) -> None:
    assert traced(traceparent=broken, tracestate="a=1") == {}
    assert traced(traceparent=PARENT, tracestate="a=1,a=2", baggage=broken) == {"traceparent": PARENT}


def test_meta_19_subscription_id() -> None:
    for given in (1, "listen-1", 0, ""):
        body = {
            "jsonrpc": "2.0",
            "method": "notifications/tools/list_changed",
            "params": {"_meta": {"io.modelcontextprotocol/subscriptionId": given}},
        }
        found = wireseal.admit(json.dumps(body).encode()).subscription_id
        assert (found, type(found)) == (given, type(given))
