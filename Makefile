# Two commands do everything: `make bench` and `make test`.
SHELL := /bin/bash

# A copy without .git (a release archive) has no commit and still builds.
commit  := $(shell if [ -e .git ]; then git describe --always --dirty --abbrev=40 --exclude "*" 2>/dev/null; fi)
stamp   := $(if $(commit),-X gobench/internal/launch/host.commit=$(commit))
fuzz    ?= 30s
results ?= results

.PHONY: bench build build-verbs build-mpi build-full test test-verbs test-mpi test-native test-emulators check check-coverage compare-peers compare-hosts compare-kernels compare-verbs check-peers release test-release test-sites test-apiserver fuzz figure lab clean

bench: build ## builds gobench and measures both transports of this machine
	@mkdir -p $(results)
	bin/gobench p2p --transport=smem,tcp -o $(results)/p2p.jsonl

export GOTOOLCHAIN := $(shell . scripts/toolchain.sh && echo $$GOTOOLCHAIN)

# Vector loops need the toolchain of go.mod and an experiment of it. SIMD=off builds without them.
SIMD    ?= on
vectors := env $$(SIMD=$(SIMD) scripts/vectors.sh)

build: ## builds bin/gobench, static, with vector loops (SIMD=off: in plain Go)
	CGO_ENABLED=0 $(vectors) go build -trimpath -buildvcs=false -ldflags '$(stamp)' -o bin/gobench ./cmd/gobench

build-verbs: ## builds bin/gobench with the transport ibv: linked to the C library, not static
	scripts/install.sh gcc libc6-dev libibverbs-dev librdmacm-dev
	CGO_ENABLED=1 $(vectors) go build -tags verbs -trimpath -buildvcs=false -ldflags '$(stamp)' -o bin/gobench ./cmd/gobench

build-mpi: ## builds bin/gobench-mpi with the transport mpi: linked to the C library, not static
	scripts/install.sh gcc libc6-dev
	@for mpi in libopenmpi-dev libmpich-dev; do scripts/install.sh $$mpi || echo "left out: $$mpi cannot be installed here"; done
	scripts/mpi.sh
	CGO_ENABLED=1 $(vectors) go build -tags mpi -trimpath -buildvcs=false -ldflags '$(stamp)' -o bin/gobench-mpi ./cmd/gobench

# Transports over libraries of vendors. The libraries are opened when the program runs; it needs the
# C library to start.
native  ?= verbs mpi gni mxm ucx ofi pmix

build-full: ## builds bin/gobench-full with every transport: ibv, mpi, gni, mxm, ucx, ofi; only libc is needed to start it
	scripts/install.sh gcc libc6-dev libibverbs-dev librdmacm-dev libucx-dev libfabric-dev
	@for mpi in libopenmpi-dev libmpich-dev; do scripts/install.sh $$mpi || echo "left out: $$mpi cannot be installed here"; done
	scripts/mpi.sh
	CGO_ENABLED=1 $(vectors) go build -tags '$(native)' -trimpath -buildvcs=false -ldflags '$(stamp)' -o bin/gobench-full ./cmd/gobench

test: ## installs what tests need and runs all of them
	scripts/test.sh

check: ## format, vet, staticcheck and the short tests of packages changed since main: a minute before a commit
	scripts/check.sh

check-coverage: build ## how often printed intervals contain the results of other commands: 16 minutes
	scripts/coverage.sh

test-verbs: ## the transport ibv over soft RDMA devices, in a virtual machine; part of make test
	scripts/verbs.sh

test-mpi: ## the transport mpi under the launchers of Open MPI and MPICH; part of make test
	scripts/test-mpi.sh

test-emulators: ## the transports gni and mxm over emulators of their libraries; part of make test
	scripts/test-emulators.sh

test-native: ## the transports ucx and ofi over shared memory and TCP; part of make test
	scripts/test-native.sh

compare-verbs: ## ibv and Debian's perftest in turns, in the virtual machine of the tests
	scripts/compare-verbs.sh

compare-peers: build ## gobench against Open MPI, MPICH, UCX, NetPIPE and plain C, in one run
	scripts/install.sh gcc libc6-dev
	@for rival in "openmpi-bin libopenmpi-dev" "mpich libmpich-dev" ucx-utils netpipe-tcp; do \
		scripts/install.sh $$rival || echo "left out: $$rival cannot be installed here"; done
	$(MAKE) -s -C peers/c
	scripts/compare-rivals.sh $(or $(PEERS),p2p streams coll start)

compare-hosts: build ## gobench against Open MPI, MPICH and plain C between hosts of a lab, in turns; needs root
	scripts/install.sh gcc libc6-dev iproute2 openssh-server openssh-client
	@for rival in "openmpi-bin libopenmpi-dev" mpich; do \
		scripts/install.sh $$rival || echo "left out: $$rival cannot be installed here"; done
	$(MAKE) -s -C peers/c
	go test ./peers -run '^$$' -bench Hosts -benchtime 1x -timeout 1h $(HOSTS)

compare-kernels: build ## kernels of gobench against equivalent C programs and memory bandwidth, and with NPB=DIRECTORY against NPB 3.4, whose source the directory has
	scripts/install.sh gcc libc6-dev
	$(MAKE) -s -C peers/c/kernels
	$(if $(NPB),scripts/install.sh gfortran openmpi-bin libopenmpi-dev && scripts/npb.sh $(NPB))
	scripts/compare-rivals.sh $(or $(KERNELS),kernels $(if $(NPB),npb))

check-peers: ## the C programs of the comparison under the sanitizers
	scripts/install.sh gcc libc6-dev openmpi-bin libopenmpi-dev
	$(MAKE) -s -C peers/c check

release: ## VERSION=v0.9.0: archives, packages, an image for containers, sums, in dist/; KEY=FILE signs them
	scripts/install.sh gcc gcc-aarch64-linux-gnu libc6-dev libc6-dev-arm64-cross libibverbs-dev librdmacm-dev libucx-dev libfabric-dev
	@for mpi in libopenmpi-dev libmpich-dev; do scripts/install.sh $$mpi || echo "left out: $$mpi cannot be installed here"; done
	go -C scripts/release build -o $(abspath bin/release) .
	bin/release --version='$(VERSION)' --out='$(abspath $(or $(OUT),dist))' $(if $(ONLY),--only='$(ONLY)') $(if $(KEY),--key='$(abspath $(KEY))')

test-sites: build ## files of the directory sites, with bin/gobench: checks of nodes, gates, actions
	scripts/test-sites.sh bin/gobench

test-release: ## a release built twice and compared; its packages installed, its image run; part of CI each week
	scripts/test-release.sh

test-apiserver: build ## manifests sent to an API server of Kubernetes, which it builds first; part of CI each week
	scripts/test-apiserver.sh bin/gobench

fuzz: ## every fuzz target for fuzz=30s each
	scripts/fuzz.sh $(fuzz)

figure: build ## redraws docs/half_rtt.svg from results/p2p.jsonl
	bin/gobench report $(results)/p2p.jsonl --figure=pingpong -o docs/half_rtt.svg

lab: ## a shell on several hosts made of this one (hosts=2), joined by real interfaces; needs root
	scripts/lab.sh $(or $(hosts),2)

clean: ## removes build outputs; results stay
	rm -rf bin dist peers/c/bin .cache
