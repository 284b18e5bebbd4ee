#!/usr/bin/env bash
# Runs the files of the folder sites that can be run without a cluster, with a program: checks of a
# node, the job of Slurm as a dry run, and the gate of action.yml and sites/gitlab.yml as a runner
# runs it. Parses the others.
# usage: scripts/test-sites.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
scripts/install.sh python3 python3-yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GOBENCH_PROFILE=none
fail() { echo "sites: $*" >&2; exit 1; }
mkdir "$work/bin"
ln -s "$program" "$work/bin/gobench"
export PATH=$work/bin:$PATH

bash -n sites/slurm/job.sh sites/slurm/check.sh sites/nhc/gobench.nhc
(cd "$work" && bash "$OLDPWD/sites/slurm/job.sh" --dry-run >/dev/null) || fail "slurm/job.sh --dry-run"

# A node that passes, and one whose limit nothing can keep.
GOBENCH_LIMIT=10s sites/slurm/check.sh || fail "slurm/check.sh drains a good node"
said=$(SLURMD_NODENAME=n7 GOBENCH_LIMIT=1ns sites/slurm/check.sh 2>&1) && fail "slurm/check.sh passes a bad node"
grep -qx "scontrol update NodeName=n7 State=DRAIN Reason='gobench: latency over shared memory above 1ns'" <<<"$said" || fail "slurm/check.sh: $said"
nhc() { bash -c 'die() { shift; echo "ERROR: $*"; return 1; }; . sites/nhc/gobench.nhc; check_gobench_latency "$1"' - "$1"; }
nhc 10s || fail "nhc drains a good node"
said=$(nhc 1ns) && fail "nhc passes a bad node"
[ "$said" = "ERROR: check_gobench_latency: latency over shared memory above 1ns" ] || fail "nhc: $said"

# The gate: as many runs as a verdict needs, of programs that differ by more than any noise.
printf '#!/bin/sh\n:\n' >"$work/quick"
printf '#!/bin/sh\nsleep 0.5\n' >"$work/slow"
chmod +x "$work/quick" "$work/slow"
gate() { # BASE PROGRAM: prints the verdict
	: >"$work/outputs"
	rm -rf "$work/gate"
	BASE=$1 PROGRAM=$2 RUNS=6 MIN_EFFECT=50% GOBENCH=$program FOLDER=$work/gate GITHUB_OUTPUT=$work/outputs \
		GITHUB_STEP_SUMMARY=$work/summary sites/gate.sh >"$work/said" 2>&1
}
gate "$work/quick" "$work/slow" && fail "the gate passes a program that is slower"
grep -qx 'verdict=regression' "$work/outputs" || fail "$(cat "$work/said")"
gate "$work/slow" "$work/slow " || fail "the gate refuses equal programs: $(cat "$work/said")"
grep -qE '^verdict=(passed|inconclusive)$' "$work/outputs" && [ -s "$work/gate/junit.xml" ] && [ -s "$work/summary" ] || fail "$(cat "$work/outputs")"
ended=0
GOBENCH=$program FOLDER=$work/gate sites/gate.sh >/dev/null 2>&1 || ended=$?
[ $ended = 2 ] || fail "without a program the gate ends with $ended"

python3 - <<'PY'
import ast, re, yaml
action = yaml.safe_load(open('action.yml'))
step = action['runs']['steps'][1]
for name in action['inputs']:
    assert any('inputs.%s }}' % name in v for v in step['env'].values()), name
for name, out in action['outputs'].items():
    assert out['value'] == '${{ steps.gate.outputs.%s }}' % name
gate = open('sites/gate.sh').read()
for name in list(step['env']):
    assert re.search(r'\$\{?%s\b' % name, gate), name
for name in re.findall(r'^\s+printf .*', gate, re.M):
    for out in action['outputs']:
        assert out + '=%s' in name, out
job = yaml.safe_load(open('sites/gitlab.yml'))['gobench']
assert job['script'][-1] == 'gobench-source/sites/gate.sh'
for name in ('BASE', 'PROGRAM', 'MIN_EFFECT', 'RUNS', 'FOLDER', 'ACTION'):
    assert name in job['variables'], name
for file in ('sites/ansible/tasks/main.yml', 'sites/ansible/defaults/main.yml'):
    assert yaml.safe_load(open(file))
for file in ('sites/spack/package.py', 'sites/reframe/gobench_checks.py', 'sites/easybuild/gobench-0.9.0.eb'):
    ast.parse(open(file).read())
PY

# The expressions of the class of ReFrame find the row of its own command.
(cd "$work" && gobench p2p --bench=pingpong --transport=tcp --sizes=8 --launches=1 --budget=100ms -o records.jsonl --export=table.osu >/dev/null)
grep -qE '^8[[:space:]]+[0-9.]+$' "$work/table.osu" || fail "ReFrame's expression finds nothing in $(cat "$work/table.osu")"
go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 -shellcheck= -pyflakes= .github/workflows/*.yml
echo "sites: passed"
