# shellcheck shell=bash
# Sourced by scripts that test C code: go test -asan, with UBSan as well. Their flags are the same,
# so that the standard library is compiled for AddressSanitizer once, without vector loops, which
# have no C.
unset GOEXPERIMENT
export CGO_ENABLED=1 CGO_CFLAGS='-g -O1 -fsanitize=undefined -fno-sanitize-recover=all' CGO_LDFLAGS='-fsanitize=undefined'
