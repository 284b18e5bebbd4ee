#!/usr/bin/env bash
# Everything that must hold before a change goes in, one step after the other,
# with the time of each. Stops at the first step that fails.
set -euo pipefail
cd "$(dirname "$0")/.."

# Pinned, so that a new release of a tool cannot break an old commit.
staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
govulncheck=v1.8.0

summary=""
step() {
	local name=$1 start=$EPOCHREALTIME
	shift
	echo "=== $name"
	if ! "$@"; then
		echo "--- FAILED: $name ($*)" >&2
		exit 1
	fi
	local took
	took=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%7.1f s", b - a }')
	summary+="$took  $name"$'\n'
	echo "--- ok:$took"
}

# With the vector loops, as make build has it. What is not told so is plain Go, which other processors
# and the race detector run.
as_built() { env GOEXPERIMENT=simd "$@"; }

formatted() {
	local files
	files=$(gofmt -l .)
	[ -z "$files" ] || { echo "run gofmt -w on:"; echo "$files"; return 1; }
}

# Only what is needed is downloaded, before anything is timed.
modules() { go list -deps -test ./... >/dev/null; }

# Only to be read by go vet, so that the compiler need not make it fast.
vet_arm64() { env GOARCH=arm64 CGO_ENABLED=0 go vet -gcflags='all=-N -l' ./...; }

# The binary is thrown away: what counts is that it links without cgo. Without -trimpath, because
# that compiles Go's library and everything else once more.
static() {
	CGO_ENABLED=0 as_built go build -o "$tmp/gobench" ./cmd/gobench && "$tmp/gobench" --help >/dev/null
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

step "what tests need"          scripts/install.sh gcc libc6-dev
# Several hosts are made of namespaces of this one.
step "what hosts need"          scripts/install.sh iproute2 openssh-server openssh-client nftables
[ "$(id -u)" -eq 0 ] || echo "--- left out: tests of several hosts, which need root"
step "modules"                 modules
step "gofmt"                    formatted
step "go vet"                   as_built go vet ./...
step "go vet, arm64"            vet_arm64
step "staticcheck"              as_built go run "$staticcheck" ./...
step "govulncheck"              scripts/vuln.sh "$govulncheck"
step "static build without cgo" static
# Tests do not vet again what has been vetted above.
step "tests"                    as_built go test -vet=off -timeout 10m ./...
# Reports are opened from disk in a browser that everybody can install.
browser() { scripts/install.sh chromium && as_built go test -tags browser -run Browser ./report/document; }
step "reports, in a browser"    browser
# The build without vector loops, which the tests above compare them with.
step "tests, plain build"       go test -vet=off ./internal/simd/... ./comm/op/...
# The tests above have run the best vector loops of this processor. Kernels come to the official
# results with the others as well.
levels() {
	local level
	for level in none avx2; do
		as_built env GOBENCH_SIMD=$level go test -vet=off -run '(ClassS|StoredDigests)$/^(smem|threads)$/^2$' "$@" || return
	done
}
step "kernels, other instructions" levels ./kernels/fdtd ./kernels/npb/...
# Where ranks are goroutines, that is where they share memory. The conformance
# suite is slow under the detector: it runs over each transport once, and over
# the wire in memory for the method that has most states. The detector lets every process
# sleep for a second at its end, where nothing is left to be found.
race() { env CGO_ENABLED=1 GORACE=atexit_sleep_ms=10 go test -vet=off -race -short -timeout 12m "$@"; }
# Packages in which nothing runs beside anything, and tests that calculate: what their
# ranks do at the same time, tests beside them do as well.
single='/(transports|devicetest|peers|docs|archtest|simd|gen|report|op|sim|random|compare|importer|price|stats|series|state|pace|sweep|allocs|nearest|release|terminal|glossary|comparing|importing|reporting|coverage|lab)(/|$)'
calculates='^Test(StoredDigests|EnergyIsConserved|CavityMode|Pictures|VolumeIs|CountsOfClassS|AChangedKeyIsMissed|MemoryIsAsSaid|GridsAgainstOdometer|ReadAFileCutOffAnywhere|ProgressIsReported)'
step "tests, race detector"     race -skip "$calculates" $(go list ./... | grep -vE "$single")
step "transports, race detector" race -run 'Goroutines|TestProtocol/split-late|Ring|Wire' \
	./transports/smem ./transports/tcp ./device/devicetest/memwire
step "verbs, in a virtual machine" scripts/verbs.sh

echo
echo "all passed"
printf '%s' "$summary"
