"""A Redis of a test's own: no port, a socket in a directory that goes with it, nothing on disk."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType

import redis


class RedisServer:
    """Starts ``redis-server`` with these options; a context manager."""

    def __init__(self, *options: str) -> None:
        program = shutil.which("redis-server")
        if program is None:
            raise RuntimeError("redis-server is not installed; `make part-python` installs it")
        self._directory = tempfile.TemporaryDirectory(prefix="wireseal-redis-")
        self.socket = str(Path(self._directory.name, "socket"))
        common = ["--port", "0", "--unixsocket", self.socket, "--dir", self._directory.name, "--save", ""]
        self._command = [program, *common, "--appendonly", "no", "--daemonize", "no", *options]
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Starts it, empty, and waits until it answers."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + 20
        with redis.Redis(unix_socket_path=self.socket) as client:
            while True:
                try:
                    client.ping()
                    return
                except redis.ConnectionError:
                    if self._process.poll() is not None or time.monotonic() > deadline:
                        raise
                    time.sleep(0.02)

    def stop(self) -> None:
        """Kills it: what it had is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def __enter__(self) -> RedisServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._directory.cleanup()
