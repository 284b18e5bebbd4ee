#!/usr/bin/env bash
# Runs all checks and tests that a change must pass, and prints the time and the seconds of processor of each step. Stops at the
# first step that fails.
set -euo pipefail
cd "$(dirname "$0")/.."
# As in the targets build of the Makefile, so that all steps, and they, share what is compiled.
export GOFLAGS="${GOFLAGS:+$GOFLAGS }-trimpath -buildvcs=false"

# Pinned, so that a new release of a tool cannot break an old commit.
staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
govulncheck=v1.8.0

summary=""
# processor prints the seconds of processor of all programs that have ended.
processor() { awk -v hz="$(getconf CLK_TCK)" '{ print ($16 + $17) / hz }' "/proc/$$/stat"; }
step() {
	local name=$1 start=$EPOCHREALTIME used
	used=$(processor)
	shift
	echo "=== $name"
	if ! "$@"; then
		echo "--- FAILED: $name ($*)" >&2
		exit 1
	fi
	local took
	took=$(awk -v a="$start" -v b="$EPOCHREALTIME" -v c="$used" -v d="$(processor)" \
		'BEGIN { printf "%7.1f s, %6.1f s of processor", b - a, d - c }')
	summary+="$took  $name"$'\n'
	echo "--- ok:$took"
}

# Vector loops are enabled as in make build. Steps without it test plain Go, which other processors
# and the race detector run.
as_built() { env GOEXPERIMENT=simd "$@"; }

formatted() {
	local files
	files=$(gofmt -l .)
	[ -z "$files" ] || { echo "run gofmt -w on:"; echo "$files"; return 1; }
}

# Download the modules first, so that no step is timed with it.
modules() { go list -deps -test ./... >/dev/null; }

# go vet needs the compiled packages but not fast code.
vet_arm64() { env GOARCH=arm64 CGO_ENABLED=0 go vet -gcflags='all=-N -l' ./...; }

# Checks that the binary links without cgo.
static() {
	CGO_ENABLED=0 as_built go build -o "$tmp/gobench" ./cmd/gobench && "$tmp/gobench" --help >/dev/null
}

tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$tmp"' EXIT

step "what tests need"          scripts/install.sh gcc libc6-dev
# Network namespaces of this machine act as several hosts.
step "what hosts need"          scripts/install.sh iproute2 openssh-server openssh-client nftables mpich libmpich-dev openmpi-bin libopenmpi-dev slurmctld slurmd slurm-client
[ "$(id -u)" -eq 0 ] || echo "--- left out: tests of several hosts, which need root"
step "modules"                 modules
step "gofmt"                    formatted
step "go vet"                   as_built go vet ./...
step "go vet, arm64"            vet_arm64
step "staticcheck"              as_built go run "$staticcheck" ./...
step "govulncheck"              scripts/vuln.sh "$govulncheck"
step "static build without cgo" static
# Everything has been vetted above.
# Left out: conformance with goroutines, which is for the race detector.
step "tests"                    as_built go test -vet=off -timeout 10m -skip '^TestConformanceOfGoroutines$' ./...
# Tests open reports in this browser.
browser() { scripts/install.sh chromium && as_built go test -tags browser -run Browser ./report/document; }
step "reports, in a browser"    browser
# The build without vector loops.
step "tests, plain build"       go test -vet=off ./internal/simd/... ./comm/op/...
# The tests above use the best instruction set of this processor. Kernels must produce the official
# results with the others as well.
levels() {
	local level
	for level in none avx2; do
		as_built env GOBENCH_SIMD=$level go test -vet=off -run '(ClassS|StoredDigests)$/^(smem|threads)$/^2$' "$@" || return
	done
}
step "kernels, other instructions" levels ./kernels/fdtd ./kernels/npb/...
# Races are possible where ranks are goroutines. The conformance suite is slow under the detector, so it
# runs once over each transport, and over the wire in memory for the method with the most states. The
# detector makes every process sleep for a second at exit, which finds nothing here.
race() { env CGO_ENABLED=1 GORACE=atexit_sleep_ms=10 go test -vet=off -race -short -timeout 12m "$@"; }
# Left out: packages without concurrency, and flow, whose threads the kernels bt, sp and lu run, too; tests that count allocations, of which the detector makes its own; and tests
# that compute or measure for long and whose concurrent operations other tests cover.
single='/(transports|flow|devicetest|docs|archtest|simd|gen|report|op|sim|random|compare|importer|price|stats|series|state|pace|sweep|allocs|nearest|release|terminal|glossary|comparing|importing|reporting|coverage|lab)(/|$)'
calculates='Allocat|DamageIsNoticed|^Test(Rounds$|NumbersAreTheSame|StreamsCount|PingPongIsHalf|PingPingCounts|ExchangeCounts|SendrecvCounts|WrongByteInControlMessages|DeviceWithFewTags|BlocksChangeNothing|GlobalTimeSees|SteppedClockIsMarked|OnePointForEachState|TheLongerStateComesFirst|StatesOfCollectives|BackToBack|BarrierWhereStartsAreLate|DisturbedMeasurementsAreNoChange|ClockCostIsSubtracted|RanksThatShareACoreHaveNoState|NoTimeIsZero|NoNumberWhereAllStartsAreLate|IntervalsHaveAFloor|StoredDigests|EnergyIsConserved|CavityMode|Pictures|VolumeIs|CountsOfClassS|ClassW|AChangedKeyIsMissed|MemoryIsAsSaid|GridsAgainstOdometer|ReadAFileCutOffAnywhere|ProgressIsReported|OverlapOfEveryOperation|AlgorithmsOfACellAreTimedTheSameWay)'
step "tests, race detector"     race -skip "$calculates" $(go list ./... | grep -vE "$single")
step "transports, race detector" race -run 'Goroutines|TestProtocol/split-late|Ring|Wire' \
	./transports/smem ./transports/tcp ./device/devicetest/memwire
# Their ranks often wait for launchers, libraries and dead peers, so two of these scripts run at a time.
libraries() {
	scripts/test-mpi.sh >"$tmp/mpi" 2>&1 &
	local mpi=$! code=0
	{ scripts/test-emulators.sh && scripts/test-native.sh; } || code=$?
	wait $mpi || code=$?
	cat "$tmp/mpi"
	return $code
}
step "MPI, gni and mxm over emulators, UCX, libfabric" libraries
step "verbs, in a virtual machine" scripts/verbs.sh

echo
echo "all passed"
printf '%s' "$summary"
