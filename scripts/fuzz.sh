#!/usr/bin/env bash
# Runs every fuzz target of the module, one after the other.
# usage: scripts/fuzz.sh TIME_PER_TARGET
set -euo pipefail
cd "$(dirname "$0")/.."
export GOEXPERIMENT=simd # as make build has it

for package in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "=== $package $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$1" "$package"
	done
done
