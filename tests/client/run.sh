#!/usr/bin/env bash
# The client's half against servers on the official SDKs: run.sh PYTHON
set -eu
cd "$(dirname "$0")"
../tools/npm.sh
exec "$1" drive.py
