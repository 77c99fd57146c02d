"""What the desk does for a caller: tools, lists and resources, without a word of how a caller is reached.

A tool is done, or is to act, or has to ask a person something. How a question travels is not its business: in 2026-07-28 it
ends the call, and the answer comes with the next one; in the revisions before, the server asks while the call waits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import wireseal

from rooms import Bookings, Meeting, all_rooms, describe

Arguments = Mapping[str, Any] | None

ARGUMENTS = {
    "type": "object",
    "properties": {
        "date": {"type": "string", "format": "date", "description": "The day, as YYYY-MM-DD"},
        "attendees": {"type": "integer", "minimum": 1, "description": "How many people must fit"},
    },
    "required": ["date", "attendees"],
    "additionalProperties": False,
}
TOOLS = [
    {
        "name": "check_availability",
        "description": "List the rooms that are free on a day and large enough.",
        "inputSchema": ARGUMENTS,
        "outputSchema": {
            "type": "object",
            "properties": {"rooms": {"type": "array", "items": {"type": "string"}}},
            "required": ["rooms"],
        },
        "annotations": {"readOnlyHint": True},
    },
    {
        "name": "book_room",
        "description": "Book a room for a day. When several fit, the person is asked which one.",
        "inputSchema": ARGUMENTS,
        "outputSchema": {
            "type": "object",
            "properties": {"room": {"type": ["string", "null"], "description": "null: nothing was booked"}},
            "required": ["room"],
        },
        "annotations": {"destructiveHint": False},
    },
]
RESOURCE = {"uri": "rooms://all", "name": "rooms", "description": "Every room", "mimeType": "application/json"}


@dataclass(frozen=True)
class Done:
    """The result of a tool that changes nothing."""

    result: dict[str, Any]


@dataclass(frozen=True)
class Act:
    """What is to be done, and nothing has been yet: the caller runs it, and sees to it that it runs once."""

    run: Callable[[], dict[str, Any]]


@dataclass(frozen=True)
class Ask:
    """A question to the person at the client, and what the tool needs to know when the answer comes."""

    question: bytes
    state: str


Outcome = Done | Act | Ask


class BadAnswer(Exception):
    """What came back is no answer to a question."""


class Desk:
    """The rooms and who has them."""

    def __init__(self) -> None:
        self.bookings = Bookings()
        self.tools: dict[str, Callable[[Arguments], Outcome]] = {
            "check_availability": self.check_availability,
            "book_room": self.book_room,
        }

    def check_availability(self, arguments: Arguments) -> Outcome:
        try:
            rooms = self.bookings.free(Meeting.read(arguments))
        except ValueError as wrong:
            return Done(tool_error(str(wrong)))
        return Done(tool_result(f"Free: {', '.join(rooms) or 'no room'}", rooms=rooms))

    def book_room(self, arguments: Arguments) -> Outcome:
        try:
            meeting = Meeting.read(arguments)
        except ValueError as wrong:
            return Done(tool_error(str(wrong)))
        free = self.bookings.free(meeting)
        if len(free) == 1:
            return self._book(meeting, free[0])
        return self._ask(meeting, "")

    def book_chosen_room(self, arguments: Arguments, state: str, answer: Any) -> Outcome:
        """Goes on when the person has answered. `state` is that of the question; `answer` is what came, if anything did.

        Raises BadAnswer.
        """
        meeting = Meeting.read(arguments)  # the same arguments as before: they were good
        offered = json.loads(state)
        if answer is None:
            return self._ask(meeting, "")
        if not isinstance(answer, dict) or answer.get("action") not in ("accept", "decline", "cancel"):
            raise BadAnswer
        if answer["action"] != "accept":
            return Done(tool_result("Nothing was booked.", room=None))
        content = answer.get("content")
        room = content.get("room") if isinstance(content, dict) else None
        if room not in offered:
            return self._ask(meeting, "That is not one of the rooms on offer. ")
        if room not in self.bookings.free(meeting):
            return self._ask(meeting, f"{room} has been taken meanwhile. ")
        return self._book(meeting, room)

    def unanswered(self) -> Done:
        """What becomes of a call whose question nobody answered."""
        return Done(tool_error("Nobody answered, so nothing was booked."))

    def _book(self, meeting: Meeting, room: str) -> Act:
        def run() -> dict[str, Any]:
            self.bookings.book(meeting, room)
            return tool_result(f"{room} is booked on {meeting.date} for {meeting.attendees}.", room=room)

        return Act(run)

    def _ask(self, meeting: Meeting, what_happened: str) -> Outcome:
        """Ask the person to choose among the rooms that are free now, if there are any."""
        free = self.bookings.free(meeting)
        if not free:
            people = f"{meeting.attendees} people" if meeting.attendees > 1 else "one person"
            return Done(tool_error(f"{what_happened}No room for {people} is free on {meeting.date}."))
        message = f"{what_happened}Which room on {meeting.date}? {describe(free)}"
        schema = {
            "type": "object",
            "properties": {"room": {"type": "string", "title": "Room", "enum": free}},
            "required": ["room"],
        }
        return Ask(wireseal.elicit(message, schema), json.dumps(free))


def read_rooms(uri: str | None) -> dict[str, Any] | None:
    """The contents of a resource; None where there is no such thing."""
    if uri != RESOURCE["uri"]:
        return None
    return {"contents": [{"uri": uri, "mimeType": "application/json", "text": json.dumps(all_rooms())}]}


def tool_result(text: str, **structured: Any) -> dict[str, Any]:
    """A tool's result, for people and for programs."""
    return {"content": [{"type": "text", "text": text}], "structuredContent": structured}


def tool_error(text: str) -> dict[str, Any]:
    """A tool's failure, which the model may read and mend; not a protocol error."""
    return {"content": [{"type": "text", "text": text}], "isError": True}
