#!/usr/bin/env bash
# Runs sweeps of configs/rivals, each into a new file of records, and compares gobench with the
# other libraries in it. One that fails does not keep the next from running.
# usage: scripts/compare-rivals.sh NAME...; launches=N in the environment: of each program
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
code=0
for name in "$@"; do
	sweep=configs/rivals/$name.toml
	gobench=bin/gobench
	if [ "$name" = libraries ]; then # they are in the full build alone
		scripts/install.sh gcc libc6-dev libucx-dev ucx-utils libfabric-dev libfabric-bin && make -s build-full || { code=1; continue; }
		gobench=bin/gobench-full
	fi
	records=results/rivals-$name-$(date +%Y%m%dT%H%M%S).jsonl
	$gobench sweep "$sweep" -o "$records" ${launches:+--launches="$launches"} || code=1
	$gobench compare "$records" --by=library --base=gobench || code=1
	[ ! -e "peers/targets/$name.toml" ] || go run ./peers/targets "peers/targets/$name.toml" "$records" || code=1
	[ "$name" != npb ] || $gobench compare "$records" --by=library --base=gobench --metric=mops --csv | scripts/ratios.sh || code=1
done
exit $code
