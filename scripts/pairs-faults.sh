#!/usr/bin/env bash
# Plants faults in a lab of hosts on this machine, runs gobench pairs for each several times, and
# prints how often the right host is named with the right kind and nobody else; needs root and jq.
# usage: scripts/pairs-faults.sh [RUNS [HOSTS [FLAG...]]]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
runs=${1:-100} hosts=${2:-16}
shift $(($# < 2 ? $# : 2))
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
CGO_ENABLED=0 go build -o "$folder/gobench" ./cmd/gobench
cat >"$folder/trial.sh" <<END
unset XDG_CACHE_HOME
flags=
trial() { # NAME WANTED PLANT...: WANTED is the list of scope, hosts and kind of the findings
	local name=\$1 wanted=\$2 right=0 run begun=\$SECONDS found
	for run in \$(seq $runs); do
		"\${@:3}"
		"$folder/gobench" pairs --hosts=h[1-$hosts] --at-once=1 --json \$flags $* >"$folder/verdict" 2>"$folder/said" || true
		lab mend h3
		found=\$(jq -r '[.findings[] | "\(.hosts | sort | join("-")) \(.kind)"] | sort | join("; ")' "$folder/verdict")
		if [ "\$found" = "\$wanted" ]; then
			right=\$((right + 1))
		else
			echo "# \$name, run \$run: \${found:-nothing}" >&9
		fi
	done
	echo "| \$name | \${wanted:-nothing} | \$right of $runs | \$(((SECONDS - begun) / $runs)) s |" >&9
}
slow_send() { lab on h3 tc qdisc replace dev eth0 root tbf rate 100mbit burst 256k latency 50ms; }
slow_receive() { tc qdisc replace dev v3 root tbf rate 100mbit burst 256k latency 50ms; }
slow_pair() {
	nft -f - <<-RULES
		table bridge h3
		table bridge h3 {
			chain forward {
				type filter hook forward priority 0
				iifname v3 oifname v5 numgen random mod 100 < 5 drop
				iifname v5 oifname v3 numgen random mod 100 < 5 drop
			}
		}
	RULES
}
trial "no fault" "" true
trial "h3 with 100 Mbit/s" "h3 low bandwidth" lab slow h3 100mbit
trial "h3 sends with 100 Mbit/s" "h3 low bandwidth sending" slow_send
trial "h3 receives with 100 Mbit/s" "h3 low bandwidth receiving" slow_receive
trial "h3 loses 2 % of packets" "h3 lost packets" lab loss h3 2
trial "h3 is cut" "h3 no answer" lab cut h3
flags=--all # else these two need not meet
trial "5 % of packets between h3 and h5 are lost" "h3-h5 lost packets" slow_pair
END
echo "| fault | wanted | found | time of a run |"
echo "|---|---|---|---|"
# the shell of the lab completes words at tabs, so it reads them from the file
echo "source $folder/trial.sh; exit" | bash internal/lab/lab.sh "$hosts" 9>&1 >"$folder/log" 2>&1
