#!/usr/bin/env bash
# Writes one file with what tells one model of processor from another: copy routines and methods of
# messages by size and distance of cores, and kernels by instruction set. It takes some 4 minutes
# on a machine that does nothing else; -q leaves out the kernels of class W.
# usage: scripts/processor.sh [-q] [FILE]; without FILE docs/notes/processors/VENDOR-FAMILY-MODEL.md
set -euo pipefail
cd "$(dirname "$0")/.."
classes="S W"
if [ "${1:-}" = -q ]; then
	classes=S
	shift
fi
gobench=${GOBENCH:-bin/gobench}
fact() { sed -n "s/^$1[[:space:]]*: //p" /proc/cpuinfo | head -n 1; }
model=$(fact vendor_id)-$(fact "cpu family")-$(fact model)
file=${1:-docs/notes/processors/$(echo "$model" | tr 'A-Z ' 'a-z_').md}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
records=$scratch/records.jsonl

# times prints "SIZE TIME DISTANCE" for each size of a table of gobench, us and ns.
times() { awk '$1 ~ /^[0-9]+$/ && NF > 8 { split($(NF-1), at, ":"); print $1, $3, at[1] }'; }

# row prints a row of a table: a name, its times, and the distances of cores that were met.
row() {
	local name=$1
	shift
	{ "$gobench" p2p --full --level=device --launches=3 --budget=240ms -o "$records" "$@" 2>/dev/null || true; } | times | sort -n -s -k1,1 |
		awk -v name="$name" '$1 != last { line = line " | " $2; last = $1 } { if (!min || $3 < min) min = $3; if ($3 > max) max = $3 }
			END { print "| " name (last == "" ? " | does not run here" : line " | " min " to " max) " |" }'
}

# heading prints the head of a table: a title and the columns.
heading() {
	printf '\n## %s\n\n' "$1"
	shift
	local line="|" under="|"
	for column; do
		line="$line $column |"
		under="$under---|"
	done
	printf '%s\n%s\n' "$line" "$under"
}

planted() { # NAME = a profile in which one routine fills and empties the ring
	for distance in near far; do
		printf '[[choice]]\nroutine = "smem %s copy"\npick = "%s"\n[[choice]]\nroutine = "smem %s fetch"\npick = "%s"\n' "$distance" "$1" "$distance" "${1/stream/go}"
	done
}

{
	echo "# $(fact "model name"), $model"
	echo
	echo "By \`scripts/processor.sh\` on $(date +%d\ %B\ %Y), family $(fact "cpu family"), model $(fact model), stepping $(fact stepping),"
	echo "$(nproc) cores, hypervisor $("$gobench" probe --full 2>/dev/null | sed -n 's/^ *hypervisor  *//p' | head -n 1)."
	"$gobench" --version | sed 's/, /,\n/'
	echo
	echo "Load average at the begin: $(cut -d " " -f 1 /proc/loadavg); with more than 0.5 kernels are not to be trusted."
	echo
	echo "Times are half round trips in us at level device, medians of three launches. The last column has"
	echo "the half round trips of one cache line in ns that were met: a virtual machine may move its cores."
	sizes=(4K 16K 64K 256K 1M 4M)
	list=$(IFS=,; echo "${sizes[*]}")
	for pin in near far; do
		heading "Copy routines, through the ring, cores placed $pin" "routine" "${sizes[@]}" "line"
		for routine in go rep avx2 avx512 stream; do
			{ echo "version = 1"; planted "$routine"; } >"$scratch/profile.toml"
			row "$routine" --pin="$pin" --sizes="$list" --set rndv=pipeline --profile="$scratch/profile.toml"
		done
		for memory in heap device; do
			heading "Methods, memory $memory, cores placed $pin" "method" "${sizes[@]}" "line"
			row "the profile" --pin="$pin" --sizes="$list" --memory="$memory"
			row "eager to 64K" --pin="$pin" --sizes="$list" --memory="$memory" --set eager_limit=64K
			for method in pipeline get put split; do
				row "$method" --pin="$pin" --sizes="$list" --memory="$memory" --set rndv="$method" --set eager_limit=4K
			done
		done
		[ "$(nproc)" -gt 2 ] || break # two cores have one distance at a time
	done
	kernels=(cg sp bt lu mg ft is ep)
	for class in $classes; do
		heading "Kernels of class $class, one rank, Mop/s, medians of three launches in turns" "vector loops" "${kernels[@]}"
		for round in 1 2 3; do # in turns, because the host changes the speed of its cores
			for kernel in "${kernels[@]}"; do
				for set in none avx2 avx512 profile; do
					GOBENCH_SIMD=${set/profile/} "$gobench" npb "$kernel" --full --class="$class" -n 1 --launches=1 -o "$records" 2>/dev/null |
						awk -v s="$set" -v k="$kernel" '$1 == k && NF > 10 { print s, k, $(NF-5); exit }' || true
				done
			done
		done >"$scratch/rates"
		for set in none avx2 avx512 profile; do
			line="| $set"
			for kernel in "${kernels[@]}"; do
				rate=$(awk -v s="$set" -v k="$kernel" '$1 == s && $2 == k { print $3 }' "$scratch/rates" | sort -g | awk '{ v[NR] = $1 } END { if (NR == 3) print v[2]; else if (NR) print v[int((NR + 1) / 2)] " (of " NR ")" }')
				line="$line | ${rate:--}"
			done
			echo "$line |"
		done
	done
	heading "The profile" "routine" "choice"
	"$gobench" probe --full 2>/dev/null | sed -n 's/^ \{10,\}\(\(smem\|simd\) [a-z ]*\): \(.*\)$/| \1 | \3 |/p'
} >"$scratch/file.md"
mkdir -p "$(dirname "$file")"
mv "$scratch/file.md" "$file"
echo "$file"
