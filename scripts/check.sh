#!/usr/bin/env bash
# Quick checks before a commit: format, vet, staticcheck, and the short tests of the packages that
# were changed since main, or on main since the previous commit. make test runs everything.
# usage: scripts/check.sh [BASE]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
base=${1:-}
if [ -z "$base" ]; then
	base=$(git merge-base HEAD main 2>/dev/null || git rev-parse HEAD)
	[ "$base" != "$(git rev-parse HEAD)" ] || base=HEAD~1
fi
# The same version as in scripts/test.sh.
staticcheck=$(sed -n 's/^staticcheck=//p' scripts/test.sh)
# As in scripts/test.sh, which shares what is compiled; its tools allocate much and keep little.
export GOEXPERIMENT=simd GOGC=400 GOFLAGS="${GOFLAGS:+$GOFLAGS }-trimpath -buildvcs=false"

files=$(gofmt -l .)
[ -z "$files" ] || { echo "run gofmt -w on:"; echo "$files"; exit 1; }

# The package of a file, including test data, is the nearest folder above it with Go files.
packages=()
while read -r file; do
	dir=$(dirname "$file")
	while [ "$dir" != . ] && ! compgen -G "$dir/*.go" >/dev/null; do dir=$(dirname "$dir"); done
	[ "$dir" = . ] || packages+=("./$dir")
done < <(git diff --name-only "$base"; git ls-files --others --exclude-standard)

go vet ./...
go run "$staticcheck" ./...
if [ ${#packages[@]} -eq 0 ]; then
	echo "no package has changed since $(git rev-parse --short "$base")"
	exit 0
fi
mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
go test -vet=off -short -timeout 5m ./internal/archtest "${packages[@]}"
