#!/usr/bin/env bash
# Runs gobench pairs with 512 agents on this machine, each as a host of its own, that report false
# measurements: h7 and h300 are slow, and five others are killed in the middle. Prints how long it
# took, and fails unless these hosts are named, and no others. Needs root and jq.
# usage: scripts/pairs-agents.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
folder=$(mktemp -d)
trap 'kill ${command-} 2>/dev/null || true; rm -rf "$folder"' EXIT
sed 's/return measure(ctx, m, p)/return falsely(p)/; s/lookAround(ctx, \*o.Look)/\&look{Version: "false"}/' internal/experiment/pairwise/worker.go >"$folder/worker.go"
grep -q 'falsely(p)' "$folder/worker.go" && grep -q 'Version: "false"' "$folder/worker.go"
cat >"$folder/falsely.go" <<'END'
package pairwise

import (
	"math"
	"math/rand/v2"
	"time"

	"gobench/pairs"
)

func falsely(p pairOrder) *done {
	time.Sleep(p.Small + 3*p.Large)
	d := &done{ID: p.ID, Core: -1}
	if p.Rank > 0 {
		return d
	}
	factor := 1.0
	for _, name := range p.Hosts {
		switch name {
		case "h7":
			factor *= 2
		case "h300":
			factor *= 1.5
		}
	}
	value := func(usual float64) float64 { return usual * factor * math.Exp(0.05*rand.NormFloat64()) }
	d.HalfRTT = pairs.Times{Median: value(1e-5), P99: value(3e-5), N: 1000}
	d.Forth, d.Back, d.Both = 1/value(1e-10), 1/value(1e-10), 1/value(5e-11)
	return d
}
END
for file in worker falsely; do echo "$PWD/internal/experiment/pairwise/$file.go $folder/$file.go"; done |
	jq -Rn '{Replace: ([inputs / " " | {(.[0]): .[1]}] | add)}' >"$folder/overlay"
CGO_ENABLED=0 go build -overlay "$folder/overlay" -o "$folder/gobench" ./cmd/gobench
# A login that makes a host of this machine: namespaces tell hosts apart.
cat >"$folder/login" <<END
#!/bin/sh
exec unshare --ipc --uts sh -c 'hostname \$0; echo \$\$ >$folder/\$0.pid; eval "\$1"' "\$1" "\$2"
END
chmod +x "$folder/login"
lost="h50 h150 h250 h350 h450" # those who connect no further hosts
running() { kill -0 $command || { cat "$folder/said" >&2; exit 1; }; }
measured() { cat "$folder/log" 2>/dev/null | wc -l; }
SECONDS=0
"$folder/gobench" pairs --hosts='h[1-512]' --ssh="$folder/login" --copy=never -o "$folder/log" --json >"$folder/verdict" 2>"$folder/said" &
command=$!
until [ "$(measured)" -gt 1 ]; do sleep 0.1; running; done
launched=$SECONDS
until [ "$(measured)" -gt 1000 ]; do sleep 0.1; running; done
for host in $lost; do kill -KILL "$(cat "$folder/$host.pid")"; done
code=0
wait $command || code=$?
jq -r --arg time "$launched s to launch, $SECONDS s in all" '"\(.rounds) rounds, \(.pairs) pairs, \(.good | length) good hosts, bad: \(.bad | join(" ")); \($time)"' "$folder/verdict"
jq -e --arg bad "h7 h300 $lost" '.complete and (.bad | sort) == ($bad / " " | sort)' "$folder/verdict" >/dev/null && [ $code = 4 ] || {
	cat "$folder/said" >&2
	exit 1
}
