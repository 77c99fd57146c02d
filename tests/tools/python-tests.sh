#!/usr/bin/env bash
# Runs the Python tests. Those of RedisOnce start a redis-server, which is installed first where it is missing.
# usage: python-tests.sh PYTHON
set -eu
command -v redis-server >/dev/null || tests/tools/debian.sh redis-server
exec "$1" -m pytest -q -p no:cacheprovider tests/python examples
