#!/usr/bin/env bash
# Gives the module an address, in one commit: go.mod, imports, the stamp of the build, and the
# documents. The tree must be clean. Afterwards `go install HOST/PATH/cmd/gobench@latest` works
# where HOST serves the repository.
# usage: scripts/module-path.sh HOST/PATH, e.g. scripts/module-path.sh example.org/fast/gobench
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
new=${1:-}
[[ "$new" =~ ^[a-z0-9.-]+\.[a-z]+(/[A-Za-z0-9._~-]+)+$ ]] || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
[ -z "$(git status --porcelain --untracked-files=no)" ] || { echo "commit or stash your changes first: this makes a commit of its own" >&2; exit 1; }
old=$(sed -n 's/^module //p' go.mod)
[ "$new" != "$old" ] || { echo "the module is called $new already"; exit 0; }

# Only names of packages change: a folder with Go files follows the module's path. The schema of
# records (gobench/1) and the cache folder keep the name of the program.
top=$(git ls-files '*.go' | cut -s -d/ -f1 | sort -u | paste -sd'|')
quoted=$(printf '%s' "$old" | sed 's/[.]/\\./g')
git ls-files -z '*.go' '*.go.tmpl' Makefile '*.sh' '*.md' '*.yml' ':!scripts/module-path.sh' |
	xargs -0 perl -pi -e "s{(?<=[\"\`\\s])$quoted/(?=($top)(?:[/\"\`.\\s]|\$))(?!cmd/gobench\`)}{$new/}g"
sed -i "s|^module .*|module $new|" go.mod
gofmt -w $(git diff --name-only -- '*.go')
go list -deps -test ./... >/dev/null # an address that Go refuses ends here, before the commit
git commit -qam "module: its path is $new"
echo "the module is called $new; git show --stat HEAD lists what changed"
