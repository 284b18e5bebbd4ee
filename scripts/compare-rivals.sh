#!/usr/bin/env bash
# Runs sweeps of configs/rivals, each into a new file of records, and compares gobench with the other
# libraries in it. One that fails does not keep the next from running.
# usage: scripts/compare-rivals.sh NAME...; launches=N in the environment: of each program
set -uo pipefail
cd "$(dirname "$0")/.."
code=0
for name in "$@"; do
	sweep=configs/rivals/$name.toml
	records=results/rivals-$name-$(date +%Y%m%dT%H%M%S).jsonl
	bin/gobench sweep "$sweep" -o "$records" ${launches:+--launches="$launches"} || code=1
	targets=
	! grep -q '^\[\[target' "$sweep" || targets=--targets=$sweep
	bin/gobench compare "$records" --by=library --base=gobench $targets || code=1
done
exit $code
