#!/usr/bin/env bash
# Runs every fuzz target of the module, one after the other, and prints the number of executions.
# Failing inputs stay in testdata/fuzz of the package and become tests.
# With --fast inputs are mutations of the seeds without the guidance of coverage (package
# internal/fuzzing), some hundred times as many in the same time. --seed=N repeats the inputs of a
# run, which prints its seed; with another one a run goes on with other inputs.
# usage: scripts/fuzz.sh [--fast [--seed=N]] TIME_OR_COUNT_PER_TARGET [REGEXP_OF_TARGETS]
#   scripts/fuzz.sh 30s                                     each target for 30 seconds
#   scripts/fuzz.sh --fast --seed=7 100000x importer  100,000 inputs of each importer
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
export GOEXPERIMENT=simd # as make build has it

fast=
[ "${1:-}" != --fast ] || { fast=1; shift; }
[[ ${1:-} != --seed=* ]] || { export GOBENCH_FUZZ_SEED=${1#--seed=}; shift; }
output=$(mktemp)
trap 'rm -f "$output"' EXIT
summary="" failed="" sum=0
while IFS=: read -r file target; do
	package=./$(dirname "$file")
	echo "=== $package $target"
	start=$EPOCHREALTIME code=0
	if [ $fast ]; then
		GOBENCH_FUZZ=$1 go test -vet=off -timeout 0 -v -run "^$target\$" "$package" 2>&1 | tee "$output" | grep -v '^===' || code=$?
	else
		# Without this limit Go spends up to a minute minimising each interesting input.
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$1" -fuzzminimizetime 10x "$package" 2>&1 | tee "$output" || code=$?
	fi
	# Guided by coverage, an input that is running when the time is over ends with this message,
	# without a finding.
	if [ $code != 0 ] && { [ $fast ] || grep -q 'Failing input written to\|^panic:' "$output" || ! grep -q 'context deadline exceeded' "$output"; }; then
		failed+=" $target"
	fi
	execs=$(grep -o 'execs: [0-9]*' "$output" | tail -1 | tr -dc 0-9 || true)
	sum=$((sum + ${execs:-0}))
	summary+=$(awk -v n="${execs:-0}" -v a="$start" -v b="$EPOCHREALTIME" -v t="${package#./} $target" \
		'BEGIN { printf "%12d  %6.1f s  %s", n, b - a, t }')$'\n'
done < <(grep -rEo '^func Fuzz[[:alnum:]_]*' --include='*_test.go' . | sed 's,^\./,,; s/func //' | sort | grep -E "${2:-.}")

echo
echo "inputs tried, time with building, target"
printf '%s' "$summary"
printf '%12d  in all\n' "$sum"
[ -z "$failed" ] || { echo "FAILED:$failed" >&2; exit 1; }
