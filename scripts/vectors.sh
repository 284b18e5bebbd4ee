#!/usr/bin/env bash
# Fails if a build with GOEXPERIMENT=simd by this toolchain would have no vector loops, which the
# compiler does not report: their files have build constraints. SIMD=off accepts that.
# usage: [SIMD=off] [GO=go] scripts/vectors.sh
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
[ "${SIMD:-on}" != off ] || exit 0
[ "$("$go" env GOARCH)" = amd64 ] || exit 0 # vector loops exist for amd64 only
case " $(GOEXPERIMENT=simd "$go" list -f '{{join .GoFiles " "}}' ./internal/simd) " in
*" level_vector.go "*) exit 0 ;;
esac
echo "this build would have no vector loops, and kernels and reductions would be several times slower:" >&2
echo "they need Go 1.26 (this is $("$go" env GOVERSION)). Take that (GOTOOLCHAIN=go1.26.8 make build), or build without: make build SIMD=off" >&2
exit 1
