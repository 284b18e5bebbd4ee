#!/usr/bin/env bash
# Prints the cells of a comparison of kernels as one table: Mop/s of both sides, and how many times
# as fast the base is. Reads what `gobench compare --metric=mops --csv` prints.
# usage: gobench compare FILE --by=library --base=gobench --metric=mops --csv | scripts/ratios.sh
set -euo pipefail
echo "processor: $(awk -F': ' '/^(vendor_id|cpu family|model|model name|stepping)\t/ && !seen[$1]++ { printf "%s ", $2 }' /proc/cpuinfo)"
awk -F, '
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
function value(name) { return $column[name] }
NR == 2 { printf "%-8s %-5s %5s %-10s %12s %12s  %s\n", "kernel", "class", "ranks", "algorithm", "Mop/s", "rival", "ratio (launches)" }
value("metric") == "mops" && value("side_median") > 0 {
	printf "%-8s %-5s %5d %-10s %12.1f %12.1f  %.2f (%d+%d) %s\n", value("bench"), value("class"), value("ranks"), value("algorithm"),
		value("base_median"), value("side_median"), value("base_median") / value("side_median"), value("base_n"), value("side_n"), value("side")
}'
