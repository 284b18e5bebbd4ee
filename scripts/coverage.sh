#!/usr/bin/env bash
# Measures how often printed intervals contain the results of other commands: repeats the same 20
# cells and prints the share of 95 % intervals with the median of the other commands (leave one
# out).
# usage: scripts/coverage.sh [COMMANDS [FILE]]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
commands=${1:-30}
file=${2:-}
if [ -z "$file" ]; then
	file=$(mktemp -t gobench-coverage.XXXXXX.jsonl)
	rm "$file"
	trap 'rm -f "$file"' EXIT
fi
go build -o bin/coverage ./scripts/coverage
for _ in $(seq "$commands"); do
	bin/gobench p2p --transport=smem,tcp --sizes=8,1K,64K,1M -o "$file" >/dev/null
	bin/gobench p2p --bench=exchange,uniband --sizes=8,4K -o "$file" >/dev/null
	bin/gobench coll --op=bcast,allreduce,alltoall -n 2 --sizes=64,64K -o "$file" >/dev/null
	bin/gobench npb cg is --class=S -n 2 -o "$file" >/dev/null
done
bin/coverage "$file"
