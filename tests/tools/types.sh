#!/usr/bin/env bash
# The types of the Python module: the stub says what the module has, and everything that uses it type-checks.
# usage: types.sh PYTHON
set -u
python=$1
failed=0

check() { # name, then a command that must succeed
    local name=$1
    shift
    if "$@"; then echo "pass: $name"; else echo "FAIL: $name"; failed=1; fi
}

cache=build/mypy
check "the stub agrees with the module" "$python" -m mypy.stubtest wireseal
check "the tests and the tools type-check" "$python" -m mypy --strict --cache-dir "$cache/tests" tests/python tests/tools tests/vectors tests/soak
check "the exchange of tokens type-checks" "$python" -m mypy --strict --cache-dir "$cache/interop" tests/interop/interop.py
check "the comparison type-checks" "$python" -m mypy --strict --cache-dir "$cache/sdks" tests/sdks/*.py
check "the client against the official servers type-checks" "$python" -m mypy --strict --cache-dir "$cache/client" tests/client/*.py
check "the room desk type-checks" "$python" -m mypy --strict --cache-dir "$cache/desk" examples/room-desk
exit $failed
