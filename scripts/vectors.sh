#!/usr/bin/env bash
# Prints the setting of the environment with which go builds vector loops. Their files have build
# constraints, and the compiler does not report that it leaves them out: with another toolchain this
# prints no setting, and says on standard error that the build is plain Go.
# usage: [SIMD=off] [GO=go] scripts/vectors.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
go=${GO:-go}
[ "${SIMD:-on}" != off ] || exit 0
arch=$("$go" env GOARCH)
case $arch in amd64 | arm64) ;; *) exit 0 ;; esac # others have none
case " $(GOEXPERIMENT=simd "$go" list -f '{{join .GoFiles " "}}' ./internal/simd 2>/dev/null || true) " in
*" level_$arch.go "*) echo GOEXPERIMENT=simd ;;
*)
	wanted=$(awk '$1 == "toolchain" { print $2 }' go.mod)
	echo "!!! NO VECTOR LOOPS: they need $wanted, and this is $("$go" env GOVERSION). Kernels and reductions of this build will be several times slower: take that toolchain (GOTOOLCHAIN=$wanted make build), or say SIMD=off" >&2
	;;
esac
