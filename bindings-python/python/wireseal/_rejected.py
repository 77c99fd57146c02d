"""The refusal of a message."""

import json
from typing import Any, final


@final
class Rejected(Exception):
    """A message or a token that was refused because of what the peer sent. Answer with it and go on.

    A fault of the host, such as an argument of the wrong type, is never reported by this exception: those are
    ``ValueError`` and ``TypeError``.

    Raised by the library only; the constructor is not part of the API. An instance owns all that it needs, can be
    pickled, and may outlive the message.
    """

    reason: str
    """Why, in kebab-case: stable, for logs and tests. One of the names in ``wireseal.REASONS``."""
    code: int
    """The JSON-RPC error code, such as -32602."""
    status: int
    """The HTTP status to answer with, such as 400."""
    message: str
    """The sentence that the answer carries. It never quotes what the peer sent."""
    id: int | str | None
    """The id of the refused request; ``None`` when it has none, or it could not be read."""
    method: str | None
    """The method of the refused message, where it could be read. For logs: nothing has checked it."""
    key_id: bytes | None
    """The four bytes that name the key of a refused token, where it names one. For logs: nothing has proven it."""
    member: str | None
    """The member that is at fault, where one is: of an elicitation's content. For logs: the answer does not quote it."""
    offset: int | None
    """Where parsing stopped, in bytes from the start of the body; ``None`` when parsing is not what failed."""
    allow: str | None
    """The value of the ``Allow`` header that status 405 needs; otherwise ``None``."""

    def __init__(
        self,
        reason: str,
        code: int,
        status: int,
        message: str,
        data_json: bytes | None,
        id: int | str | None,
        method: str | None,
        key_id: bytes | None,
        member: str | None,
        offset: int | None,
        allow: str | None,
        body: bytes,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.code = code
        self.status = status
        self.message = message
        self.id = id
        self.method = method
        self.key_id = key_id
        self.member = member
        self.offset = offset
        self.allow = allow
        self._data_json = data_json
        self._body = body

    @property
    def data(self) -> Any:
        """The ``data`` member of the answer as a Python value, made anew on each access; ``None`` without one."""
        return None if self._data_json is None else json.loads(self._data_json)

    def to_bytes(self) -> bytes:
        """The JSON-RPC body of the answer.

        Empty when nothing is to be sent: a notification is never answered, nor is a response that came over stdio.
        """
        return self._body

    def __str__(self) -> str:
        where = "" if self.offset is None else f" at byte {self.offset}"
        return f"{self.message} [{self.reason}, {self.code}]{where}"

    def __repr__(self) -> str:
        return f"<wireseal.Rejected {self.reason} {self.code} id={self.id!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        fields = (self.reason, self.code, self.status, self.message, self._data_json, self.id, self.method, self.key_id)
        return type(self), (*fields, self.member, self.offset, self.allow, self._body), self.__dict__


Rejected.__module__ = "wireseal"
