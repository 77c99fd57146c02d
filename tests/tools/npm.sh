#!/usr/bin/env bash
# The npm packages that the lock file in this directory pins, if they are not installed yet.
set -eu
command -v npm >/dev/null || "$(dirname "$0")/debian.sh" nodejs npm
cmp -s package-lock.json node_modules/.installed && exit
npm ci --ignore-scripts --no-audit --no-fund --silent
cp package-lock.json node_modules/.installed
