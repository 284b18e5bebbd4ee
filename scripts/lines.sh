#!/usr/bin/env bash
# Counts the lines of the working tree, or of a revision: scripts/lines.sh [REVISION]. A file is one
# of: tests (_test.go), support (Go that only tests and scripts import), generated (Go whose head
# says so), product (all other Go, and its templates), assembler, C, shell, Markdown.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -gt 0 ]; then
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	git archive "$1" | tar -x -C "$tmp"
	cd "$tmp"
	list() { find . -type f -printf '%P\0'; }
else
	list() { git ls-files -z --cached --others --exclude-standard | sort -zu; }
fi
list | xargs -0 awk '
	function kind(name, head) {
		if (name ~ /(^|\/)testdata\//) return ""
		if (name ~ /_test\.go$/) return "tests"
		if (name ~ /\.go$/ && head ~ /^\/\/ Code generated .* DO NOT EDIT\.$/) return "generated"
		if (name ~ /^(peers|scripts|internal\/(allocs|archtest|fuzzing|lab|weakmem)|comm\/schedule\/sim|[a-z\/]*\/[a-z]+test)\/.*\.go$/) return "support"
		if (name ~ /\.go(\.tmpl)?$/) return "product"
		if (name ~ /\.s$/) return "assembler"
		if (name ~ /\.[ch]$/) return "C"
		if (name ~ /\.sh$|(^|\/)Makefile$/) return "shell"
		if (name ~ /\.md$/) return "Markdown"
		return ""
	}
	FNR == 1 { now = kind(FILENAME, $0); files[now]++ }
	{ lines[now]++ }
	END { for (k in lines) if (k != "") printf "%s %d %d\n", k, lines[k], files[k] }
' | awk '
	{ lines[$1] += $2; files[$1] += $3 }
	END {
		n = split("product support generated tests assembler C shell Markdown", order)
		for (i = 1; i <= n; i++) printf "%-10s%8d lines in %4d files\n", order[i], lines[order[i]], files[order[i]]
	}'
