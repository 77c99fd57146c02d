#!/usr/bin/env bash
# WireSeal beside the official SDKs on 10,000 requests: run.sh PYTHON [--write]
set -euo pipefail
cd "$(dirname "$0")"
../tools/npm.sh
if [ "${2:-}" = --write ]; then exec "$1" compare.py; fi
exec "$1" compare.py --check
