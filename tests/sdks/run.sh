#!/usr/bin/env bash
# WireSeal beside the official SDKs on 10,000 requests: run.sh PYTHON [--write]
set -euo pipefail
cd "$(dirname "$0")"
command -v npm >/dev/null || ../tools/debian.sh nodejs npm
if ! cmp -s package-lock.json node_modules/.installed; then
    npm ci --ignore-scripts --no-audit --no-fund --silent
    cp package-lock.json node_modules/.installed
fi
if [ "${2:-}" = --write ]; then exec "$1" compare.py; fi
exec "$1" compare.py --check
