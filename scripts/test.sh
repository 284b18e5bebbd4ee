#!/usr/bin/env bash
# Runs all checks and tests that a change must pass, and prints the time and the seconds of
# processor of each step. Stops at the first step that fails.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
# As in the targets build of the Makefile, so that all steps, and they, share what is compiled.
export GOFLAGS="${GOFLAGS:+$GOFLAGS }-trimpath -buildvcs=false"

# Pinned, so that a new release of a tool cannot break an old commit.
staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
govulncheck=v1.8.0

# timed NAME COMMAND... runs a command in this process, which is to be a subshell, and adds its
# times to the summary.
timed() {
	local start=$EPOCHREALTIME me=$BASHPID code=0 took
	"${@:2}" || code=$?
	# The processor time of the subshell and of all programs that have ended in it.
	took=$(awk -v a="$start" -v b="$EPOCHREALTIME" -v hz="$(getconf CLK_TCK)" \
		'{ printf "%7.1f s, %6.1f s of processor", b - a, ($14 + $15 + $16 + $17) / hz }' "/proc/$me/stat")
	echo "$took  $1" >>"$tmp/summary"
	[ $code -ne 0 ] || echo "--- ok:$took  $1"
	return $code
}
part() { # NAME COMMAND...
	echo "=== $1"
	(timed "$@") || { echo "--- FAILED: $1 (${*:2})" >&2; exit 1; }
}
step() { # NAME COMMAND...: a part, after which the lanes are looked at
	part "$@"
	local name
	# If a lane has failed, the next steps are of no use.
	for name in "${!lanes[@]}"; do kill -0 "${lanes[$name]}" 2>/dev/null || join "$name"; done
}

# lane NAME FUNCTION starts a function of parts beside the following steps. What leaves processors
# idle and what fills them run beside each other.
declare -A lanes
lane() {
	echo "=== $1, beside the following steps"
	set -m # a process group of its own, which can be ended, and in which Ctrl-C is not ignored
	("$2") >"$tmp/$1" 2>&1 </dev/null &
	lanes[$1]=$!
	set +m
}
join() { # NAME: waits for a lane and prints its output
	[ -n "${lanes[$1]-}" ] || return 0
	local code=0
	wait "${lanes[$1]}" || code=$?
	unset "lanes[$1]"
	echo "=== $1: output"
	cat "$tmp/$1"
	[ $code = 0 ] || exit $code
}

# Vector loops are enabled as in make build, for all steps and tools, so that they share what is
# compiled, but for the steps of plain Go, which other processors and the race detector run: with
# vector loops the detector's checks of pointers refuse loops that step past the end of a slice.
export GOEXPERIMENT=simd
plain() { env -u GOEXPERIMENT "$@"; }

formatted() {
	local files
	files=$(gofmt -l .)
	[ -z "$files" ] || { echo "run gofmt -w on:"; echo "$files"; return 1; }
}

# Download the modules first, so that no step is timed with it.
modules() { go list -deps -test ./... >/dev/null; }

# Checks that the binary links without cgo.
static() {
	CGO_ENABLED=0 go build -o "$tmp/gobench" ./cmd/gobench && "$tmp/gobench" --help >/dev/null
}

# Checks the program that makes releases, a module of its own; make test-release makes one.
make_release() { go -C scripts/release vet . && go -C scripts/release test -vet=off .; }
# Checks what gobench manifest prints against the types of Kubernetes, in a module of its own.
manifests() { go -C scripts/manifests vet . && go -C scripts/manifests test -vet=off .; }

tmp=$(mktemp -d)
trap 'for name in "${!lanes[@]}"; do kill -- -"${lanes[$name]}" 2>/dev/null || true; done; rm -rf "$tmp"' EXIT

step "what tests need"          scripts/install.sh gcc libc6-dev
step "what libraries need"      scripts/install.sh libibverbs-dev librdmacm-dev libucx-dev libfabric-dev libfabric1
# Network namespaces of this machine act as several hosts.
step "what hosts need"          scripts/install.sh iproute2 openssh-server openssh-client nftables mpich libmpich-dev openmpi-bin libopenmpi-dev slurmctld slurmd slurm-client
step "what figures need"        scripts/install.sh gnuplot-nox texlive-latex-base texlive-latex-recommended texlive-pictures texlive-latex-extra
[ "$(id -u)" -eq 0 ] || echo "--- left out: tests of several hosts, which need root"
step "modules"                 modules

# Everything is vetted as a part of its own.
tests() { go test -vet=off -timeout 20m "$@"; }
# Races are possible where ranks are goroutines. The detector makes every process sleep for a second
# at exit, which finds nothing here. Left out: tests that count allocations, of which the detector
# makes its own; and tests that compute, measure or damage data for long and whose concurrent
# operations other tests cover.
calculates='Allocat|DamageIsNoticed|Detects?A|^Test(Rounds$|Models$|ResultsDoNotDependOnTheClock|AlgorithmsAgainstTheOracle$|Costs$|Volumes$|StreamsCount|PingPongIsHalf|PingPingCounts|ExchangeCounts|SendrecvCounts|WrongByteInControlMessages|DeviceWithFewTags|BlocksChangeNothing|GlobalTimeIncludes|SteppedClockIsMarked|OnePointForEachState|TheLongerStateIsFirst|StatesOfCollectives|BackToBack|BarrierWhereStartsAreLate|DisturbedMeasurementsAreNoChange|ClockCostIsSubtracted|RanksThatShareACoreHaveNoState|NoTimeIsZero|NoNumberWhereAllStartsAreLate|IntervalsHaveAFloor|StoredDigests|EnergyIsConserved|LostDirectoriesAndDevicesAreErrors|CavityMode|Pictures|VolumeIs|CountsOfClassS|ClassSOfEveryKernel|ClassW|AChangedKeyIsMissed|MemoryIsAsSaid|GridsAgainstOdometer|ReadAFileCutOffAnywhere|ProgressIsReported|OverlapOfEveryOperation|AlgorithmsOfACellAreTimedAlike|PastedCommands|StoppedRanks|RanksOfDifferentCommands|NumbersAgree|WordsOfOtherPrograms|GatesOnAModelOfASharedMachine|FalseAlarmsInSeveralStates|ThousandsOfLaunches|RecordsInUTF16|ReadBoundsALine|Neighborhoods$|VectorFormsOfAllDistributions|OperatorsAndTypes|WindowsInEveryEpoch|EveryBenchmarkIsSweptAndDrawn)|^TestEveryBenchmarkOverEveryTransport$/^smem$/^device$|^TestEveryBenchmarkOverEveryTransport$/^smem.tcp$|^TestEveryBenchmarkOverEveryTransport$/^tcp$/^raw$|^TestSendModes$/^tcp$'
# Loops of internal/simd step past the ends of slices without reading there, in plain Go, too.
race() { plain env CGO_ENABLED=1 GORACE=atexit_sleep_ms=10 go test -vet=off -race -gcflags=./internal/simd/...=-d=checkptr=0 -short -timeout 20m "$@"; }

all=$(go list ./...)
of() { grep -E "$1" <<<"$all"; }     # packages whose path matches
but() { grep -vE "$1" <<<"$all"; }
# Packages whose tests compute: none has ranks with time limits of less than five minutes.
computes='/(archtest|compare|targets|docs|figure|document|importer|price|random|report|published|comparison|schedule|sim|simd|stats|op|record|kernels/.*)$'
commands='/(cmd/gobench|launch|launch/(remote|rendezvous))$'
# Packages without concurrency, which the race detector need not see, and flow, whose threads the
# kernels bt, sp and lu run, too.
single='/(transports|targets|flow|devicetest|docs|archtest|simd|report|op|sim|random|importer|price|stats|series|state|pace|allocs|nearest|release|terminal|glossary|coverage|lab|hostlist|pairs|peers|configs|example|cli|rerun|survey|human|detect|kubernetes|limit|pending|remedy|renamed|traffic|unpack|weakmem)(/|$)'
races=$(but "$single")
# Of these, those whose ranks have no time limits of less than five minutes.
patient='^gobench/(kernels/.*|internal/micro(/.*)?|bench|internal/bench/benchtest|comm|comm/coll|internal/comm/coll/shared|comm/schedule)$'

# Transports over libraries, which the scripts below test.
tags='verbs mpi gni mxm ucx ofi pmix'
vet_libraries() {
	local said vet=(-tags "$tags" ./transports/... ./launch/... ./internal/launch/... ./cmd/gobench)
	scripts/mpi.sh || return
	said=$(go vet "${vet[@]}" 2>&1) && return
	# The check of calls of C reads sources in the folder where they were compiled first, which for
	# the cache may be another clone that is gone.
	grep -q "can't parse raw cgo file" <<<"$said" && go vet -cgocall=false "${vet[@]}" && return
	echo "$said"
	return 1
}
compile() {
	go list -export -test -deps ./... >/dev/null || return
	plain env CGO_ENABLED=1 go list -export -test -deps -race $races >/dev/null || return
	go list -export -test -deps -tags "$tags" ./transports/... ./launch/rendezvous >/dev/null || return
	CGO_ENABLED=1 go list -export -deps -tags mpi ./cmd/gobench >/dev/null || return # make build-mpi
	make -s build-full >/dev/null || return
	touch "$tmp/compiled"
}
compiled() { while [ ! -e "$tmp/compiled" ] && kill -0 "${lanes[what computes]}" 2>/dev/null; do sleep 1; done; }
# The tests use the best instruction set of this processor. Kernels must produce the official
# results with the others as well.
levels() {
	local level
	for level in none avx2; do
		env GOBENCH_SIMD=$level go test -vet=off -run '^Test(ClassSOfEveryKernel|StoredDigests)$' "$@" || return
	done
}
# These lanes have the priority of all others: with a lower one they stood still beside ranks that
# poll, and jobs ran into limits of minutes. The tools and the tests that compute allocate much and
# keep little, so the collector runs more rarely; other tests have it as a user has.
computing() {
	export GOGC=400
	part "gofmt"                    formatted
	part "go vet"                   go vet ./...
	part "go vet, libraries"        vet_libraries
	part "compiling the tests"      compile
	part "tests that compute"       tests -p 3 -skip '^TestClassSOfEveryKernel$' $(of "$computes")
	unset GOGC
	part "race detector, computing" race -p 3 -skip "$calculates" $(grep -E "$patient" <<<"$races")
}
checking() {
	export GOGC=400
	compiled
	part "staticcheck"              go run "$staticcheck" ./...
	part "govulncheck"              scripts/vuln.sh "$govulncheck"
	part "static build without cgo" static
	part "release, its program"     make_release
	part "manifests of Kubernetes"  manifests
	part "files for sites"          scripts/test-sites.sh "$tmp/gobench"
	# The build without vector loops.
	part "tests, plain build"       plain go test -vet=off ./internal/simd/... ./comm/op/...
	part "kernels, other instructions" levels ./kernels/fdtd ./kernels/npb/all
}

# Tests of commands and hosts wait most of their time, and so do ranks for launchers, libraries and
# dead peers: beside them run the tests of all other packages. They have time limits, so these have
# no lower priority.
waiting() {
	part "tests of commands and hosts" tests -p 1 -parallel 2 $(of "$commands")
	part "MPI, gni and mxm over emulators, UCX, libfabric" libraries
}
# One after the other: beside the other lanes two of them had 26 processes that poll on two cores.
libraries() { scripts/test-mpi.sh && scripts/test-emulators.sh && scripts/test-native.sh; }
browser() { scripts/install.sh chromium && go test -tags browser -run Browser ./internal/report/document; }

lane "what computes" computing
lane "what checks" checking
# Emulated machines wait for each other half of their time. Their ranks have time limits, and so
# have those of the steps after it.
step "verbs, in virtual machines" scripts/verbs.sh
step "compiling, the rest"      compiled
lane "what waits" waiting
# One package at a time: ranks that poll take each other's time, and smem's tests beside others took
# six times as long as alone. Left out: conformance with goroutines, which is for the race detector.
step "tests"                    tests -p 1 -parallel 2 -skip '^TestConformanceOfGoroutines$' $(but "$computes|$commands")
step "arm64, emulated"          scripts/arm64.sh
step "an address of the module" scripts/test-module-path.sh
step "reports, in a browser"    browser
step "race detector"            race -skip "$calculates" $(grep -vE "$patient" <<<"$races")
# The conformance suite is slow under the detector, so it runs once over each transport, and over
# the wire in memory for the method with the most states.
step "race detector, transports" race -run 'Goroutines|TestProtocol/split-late|Ring|Wire' \
	./transports/smem ./transports/tcp ./device/devicetest/memwire
join "what waits"
join "what computes"
join "what checks"

echo
echo "all passed"
cat "$tmp/summary"
