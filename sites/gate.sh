#!/usr/bin/env bash
# Gates a program in continuous integration: measures two builds in turns and compares them. The
# action of GitHub and the job of GitLab run it. Settings are environment variables:
#   PROGRAM, BASE   commands of the two builds, or PLAN, a sweep file with libraries base and new
#   MIN_EFFECT, RUNS, NOISY   smallest slowdown that counts; runs; pass or fail if too noisy to tell
#   GOBENCH         the program gobench; without one it is built in the folder ACTION
#   FOLDER          for records and reports
set -euo pipefail
folder=${FOLDER:-gobench-gate}
mkdir -p "$folder"
gobench=${GOBENCH:-}
if [ -z "$gobench" ]; then
	make -s -C "$ACTION" build
	gobench=$ACTION/bin/gobench
fi
records=$folder/records.jsonl report=$folder/report.md
gate=(--gate --min-effect="${MIN_EFFECT:-10%}" --junit="$folder/junit.xml" --markdown="$report")
code=0
if [ -n "${PLAN:-}" ]; then
	"$gobench" sweep "$PLAN" -o "$records"
	"$gobench" compare "${gate[@]}" --by=library --base=base "$records" || code=$?
elif [ -n "${PROGRAM:-}" ] && [ -n "${BASE:-}" ]; then
	"$gobench" time "${gate[@]}" --warmup=1 --runs="${RUNS:-12}" -n base -n new -o "$records" "$BASE" "$PROGRAM" || code=$?
else
	echo "set the inputs program and base, or plan" >&2
	exit 2
fi
case $code in
0) verdict=passed ;;
4) verdict=regression ;;
5) verdict=inconclusive ;;
*) exit "$code" ;;
esac
if [ -n "${GITHUB_OUTPUT:-}" ]; then
	printf 'verdict=%s\nreport=%s\nrecords=%s\n' "$verdict" "$report" "$records" >>"$GITHUB_OUTPUT"
fi
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$report" >>"$GITHUB_STEP_SUMMARY"
if [ $verdict = inconclusive ]; then
	echo "${GITHUB_ACTIONS:+::warning::}too noisy to tell whether anything became slower"
	[ "${NOISY:-pass}" = fail ] || code=0
fi
exit "$code"
