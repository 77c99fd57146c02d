"""The rooms, the meetings and the bookings: what this example is about, without a word of MCP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any


@dataclass(frozen=True)
class Room:
    """A meeting room."""

    name: str
    seats: int
    floor: int


ROOMS = (Room("aurora", 4, 2), Room("basalt", 8, 2), Room("cinder", 8, 5))


@dataclass(frozen=True)
class Meeting:
    """What somebody wants a room for."""

    date: str
    """The day, as YYYY-MM-DD."""
    attendees: int

    @classmethod
    def read(cls, arguments: Mapping[str, Any] | None) -> Meeting:
        """Take a meeting from a tool's arguments. Raises ValueError with a sentence for the caller."""
        arguments = arguments or {}
        if not arguments.keys() <= {"date", "attendees"}:
            raise ValueError("the only arguments are date and attendees")
        day, attendees = arguments.get("date"), arguments.get("attendees")
        if not isinstance(day, str) or not _is_day(day):
            raise ValueError("date must be a day, written like 2026-08-04")
        # 6.0 is the same JSON number as 6; true is not a number, although Python says so.
        if isinstance(attendees, float) and attendees.is_integer():
            attendees = int(attendees)
        if not isinstance(attendees, int) or isinstance(attendees, bool) or attendees < 1:
            raise ValueError("attendees must be a whole number, 1 or more")
        return cls(day, attendees)


def _is_day(text: str) -> bool:
    """Whether this is a day of the calendar in its one spelling; fromisoformat alone takes others too."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


class Bookings:
    """Who has which room on which day. They live in this process and end with it."""

    def __init__(self) -> None:
        self._taken = {("2026-08-03", "basalt")}

    def free(self, meeting: Meeting) -> list[str]:
        """The names of the free rooms that are large enough, always in the same order."""
        return [
            room.name
            for room in ROOMS
            if room.seats >= meeting.attendees and (meeting.date, room.name) not in self._taken
        ]

    def book(self, meeting: Meeting, room: str) -> None:
        """Book a room that `free` named. Raises ValueError when it is not free (any more)."""
        if room not in self.free(meeting):
            raise ValueError(f"{room} is not free on {meeting.date}")
        self._taken.add((meeting.date, room))


def describe(names: list[str]) -> str:
    """One line about rooms, for a person who has to choose."""
    return "; ".join(f"{room.name}: {room.seats} seats, floor {room.floor}" for room in ROOMS if room.name in names)


def all_rooms() -> list[dict[str, Any]]:
    """Every room, as plain data."""
    return [asdict(room) for room in ROOMS]
