#!/usr/bin/env bash
# Gives a copy of the repository an address, serves it from a folder as a module proxy, and installs
# the program from there and builds a program that imports its packages.
# usage: scripts/test-module-path.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
# With vector loops, of which all files must be in the archive, and as scripts/test.sh compiles.
export GOEXPERIMENT=simd GOFLAGS="${GOFLAGS:--trimpath -buildvcs=false}"
work=$(mktemp -d)
modules=$(go env GOMODCACHE)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT # modules are read-only
path=example.org/fast/gobench version=v0.9.0

git clone -q . "$work/copy"
git -C "$work/copy" config user.name test
git -C "$work/copy" config user.email test@example.org
"$work/copy/scripts/module-path.sh" "$path"
top=$(cd "$work/copy" && git ls-files '*.go' | cut -s -d/ -f1 | sort -u | paste -sd'|')
if left=$(cd "$work/copy" && git grep -nE "\"gobench/($top)\b" -- '*.go' '*.go.tmpl'); then
	printf 'these still import the old path:\n%s\n' "$left" >&2
	exit 1
fi
# The other checks of the copy's text; that it compiles is shown by the installation.
(cd "$work/copy" && go test -vet=off ./internal/archtest ./internal/simd/lanes -run 'Import|Rules|Report|Cgo|Generated')

served=$work/proxy/$path/@v
mkdir -p "$served"
# A module does not contain the modules below it, which are tools.
mapfile -t others < <(git -C "$work/copy" ls-files '*/go.mod' | xargs -n 1 dirname)
git -C "$work/copy" archive --prefix="$path@$version/" -o "$served/$version.zip" HEAD -- . "${others[@]/#/:!}"
cp "$work/copy/go.mod" "$served/$version.mod"
echo "{\"Version\":\"$version\"}" >"$served/$version.info"
echo "$version" >"$served/list"
# The other modules are those that this machine has already, but for tests of theirs, which go mod
# tidy looks for. So is the toolchain.
PATH=$(go env GOROOT)/bin:$PATH
proxies=file://$work/proxy,file://$modules/cache/download,$(go env GOPROXY)
export GOTOOLCHAIN=local GOPROXY=$proxies GONOSUMDB='*' GOFLAGS="$GOFLAGS -mod=mod" GOMODCACHE=$work/modules GOBIN=$work/bin

(cd "$work" && go install "$path/cmd/gobench@latest")
"$work/bin/gobench" --version | grep -F "$version"
"$work/bin/gobench" p2p --transport=smem --sizes=8 --launches=1 --ranks=goroutine -o "$work/p2p.jsonl" >/dev/null

mkdir "$work/user"
cat >"$work/user/main.go" <<'GO'
package main

import (
	"context"
	"fmt"

	"example.org/fast/gobench/comm"
	"example.org/fast/gobench/comm/op"
	"example.org/fast/gobench/experiment"
	_ "example.org/fast/gobench/transports/smem"
)

func main() {
	_ = comm.Allreduce[float64]
	_ = op.Sum[float64]
	options := experiment.NewP2P()
	options.Transports, options.Sizes, options.RankKind = "smem", "8", "goroutine"
	options.Launches, options.File = 1, "/dev/null"
	result, err := experiment.Run(context.Background(), options)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Rows()[0].Transport)
}
GO
cd "$work/user"
go mod init example.org/user 2>/dev/null
go get -d "$path@$version" 2>/dev/null || go get "$path@$version"
go mod tidy
go run . | grep -F smem
