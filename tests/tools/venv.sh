#!/usr/bin/env bash
# Makes a virtual environment; Debian keeps the module that does it in a package of its own.
# usage: venv.sh PYTHON DIRECTORY
set -eu
python=$1
directory=$2

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "Python 3.11 or later is needed, and $python is older. Name another one: make PYTHON=python3.12" >&2
    exit 1
fi
"$python" -c 'import ensurepip, venv' 2>/dev/null || "$(dirname "$0")/debian.sh" python3-venv
"$python" -m venv --clear "$directory"
