#!/bin/sh
# estimates.sh compares the times that --dry-run expects with those that commands take on this
# machine, which should be idle: a line for each, with real / expected for the launches made, which
# are 8, and up to 16 as --dry-run says. It fails if one is not within a factor of 1.5. GOBENCH is
# the program.
set -eu
gobench=${GOBENCH:-gobench}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
seconds() { awk '{ if (match($0, /about [0-9hm.]+m?s/)) { t = substr($0, RSTART + 6, RLENGTH - 6); m = 0; if (t ~ /ms$/) { sub(/ms$/, "", t); print t / 1000; next } if (split(t, p, "m") > 1) { m = p[1]; t = p[2] } sub(/s$/, "", t); sum += 60 * m + t } } END { if (sum) print sum }'; }
bad=0
while read -r command; do
	case $command in sweep*) keep="-o $folder/sweep.jsonl" ;; *) keep=--no-records ;; esac
	expected=$($gobench $command --dry-run | grep time | seconds)
	begin=$(date +%s.%N)
	$gobench $command $keep >"$folder/out" 2>"$folder/said"
	end=$(date +%s.%N)
	launches=$(grep -c 'beyond the' "$folder/said" || true)
	echo "$expected $begin $end $launches $command" | awk '{ n = $4; real = $3 - $2; r = real / ($1 * (8 + n) / 8); $1 = $2 = $3 = ""; $4 = "";
		printf "%6.1f s, %4.2f of what was expected, %d further launches: gobench%s\n", real, r, n, $0; exit !(r < 1.5 && r > 1 / 1.5) }' || bad=1
done <<END
p2p
p2p --transport=smem,tcp
coll
coll --algo=all --sizes=64K
npb cg --class=S -n 1,2
npb cg
npb is ep --class=W
fdtd
startup
sweep quick
END
exit $bad
