package devicetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"gobench/device"
	"gobench/internal/race"
)

// Ranks selects processes or goroutines as the ranks of a job.
type Ranks int

const (
	// goroutines of the test's process, not locked to threads: Go hands those over ten times as
	// fast
	Goroutines Ranks = iota
	Processes        // copies of the test binary; needs Main in TestMain
)

func (r Ranks) String() string { return [...]string{"goroutines", "processes"}[r] }

// A Subject is the driver under test, with one choice of options.
type Subject struct {
	Driver  device.Driver
	Options map[string]string
	Ranks   Ranks
	// Threads, if not 0, is the number of ranks of each process, which are goroutines: each process
	// is a host, and Hosts and Elsewhere count processes. It needs Ranks to be Processes,
	// and leaves out rules whose ranks die and numbers of ranks that it does not divide.
	Threads int

	// Hosts returns what device.Job.Hosts returns in a job of n ranks; nil puts all on one host.
	// The ranks are on this machine all the same unless Elsewhere puts them on others, and
	// device.Job.LocalSize counts all that share its processors and its loopback network.
	Hosts func(n int) []int
	// Elsewhere returns the address at which Serve starts the ranks of a host; empty starts them on
	// this machine. It needs ranks that are processes.
	Elsewhere func(host int) string

	// Only, where not empty, names the rules to run; Run otherwise runs all. It is for a second
	// and third choice of options that needs no full round, and for transports over an engine that
	// passes all rules elsewhere (WireRules).
	Only []string
	// Without names rules that this subject breaks by its nature or that a subject beside it
	// keeps in less time, with the reason, which the test's log shows. No transport has one.
	Without map[string]string

	// MaxRanks, where not 0, leaves out the variants of rules with more ranks, on machines that
	// are too small for them. Largest, for slow machines, runs of each rule only the variant with
	// the most ranks that remains.
	MaxRanks int
	Largest  bool

	// Kill makes a rank of a goroutine job look dead to the others, as SIGKILL
	// does to a process. nil leaves out the rules of dead ranks for Goroutines.
	Kill func(d device.Device)
	// Limit replaces the time limit of one rule, a minute; long rules, and the race detector,
	// have four times as much.
	Limit time.Duration

	shared string        // looked through for leftovers instead of /dev/shm, in tests of the suite
	settle time.Duration // replaces settle there, where something stays for good
}

// timeout bounds the time in which resources must go away by themselves.
func (s Subject) timeout() time.Duration {
	if s.settle > 0 {
		return s.settle
	}
	return settle
}

func (s Subject) sharedDir() string {
	if s.shared != "" {
		return s.shared
	}
	return sharedDir
}

func (s Subject) hosts(n int) []int {
	if s.Hosts == nil {
		return make([]int, n)
	}
	return s.Hosts(n)
}

// processes returns the number of processes of a job of n ranks.
func (s Subject) processes(n int) int { return n / max(1, s.Threads) }

// localSize returns the number of ranks on the machine of a rank.
func (s Subject) localSize(rank, n int) int {
	if s.Elsewhere == nil {
		return n
	}
	hosts, local := s.hosts(n), 0
	for _, h := range hosts {
		if s.Elsewhere(h) == s.Elsewhere(hosts[rank]) {
			local++
		}
	}
	return local
}

func (u rule) limit(s Subject) time.Duration {
	limit := cmp.Or(s.Limit, time.Minute)
	if u.long {
		limit *= 4
	}
	if race.Enabled {
		limit *= 4
	}
	return limit
}

// sizes returns the sizes of the jobs in which a rule is run.
func (s Subject) sizes(u rule) []int {
	kept := slices.DeleteFunc(slices.Clone(u.ranks), func(n int) bool { return s.MaxRanks > 0 && n > s.MaxRanks || s.Threads > 0 && n%s.Threads > 0 })
	if s.Largest && len(kept) > 1 {
		return kept[len(kept)-1:]
	}
	return kept
}

// know fails the test if Only names a rule that does not exist.
func (s Subject) know(t *testing.T) {
	t.Helper()
	for _, name := range s.Only {
		if _, ok := named(name); !ok {
			t.Fatalf("there is no rule %q", name)
		}
	}
}

// probe fails the test if the driver cannot be used here with the options of s.
func (s Subject) probe(t *testing.T) {
	t.Helper()
	opts, err := device.ParseOptions(s.Driver.Options(), s.Options)
	if err == nil {
		err = device.ProbeWith(s.Driver, opts)
	}
	if err != nil {
		t.Fatalf("driver %s cannot be used here: %v", s.Driver.Name(), err)
	}
}

// WireRules names the rules that the wire of a transport over package device/protocol can break:
// order, sizes, flow control, memory of messages, progress, connecting, closing and deaths. The
// other rules (which receive matches, probes, requests and their errors, messages to itself,
// arguments) concern the engine above the wire, which passes them over memwire and smem.
var WireRules = []string{
	"no overtaking", "order of many senders", "every size", "allocated buffers", "posted data", "truncation", "synchronous send",
	"many outstanding requests", "10000 unexpected messages", "flood", "both send 64 MiB", "no allocation", "imported memory stays",
	"puts and gets of a region", "a region of all ranks or of none", "all to all", "random traffic", "packets beside a ping-pong", "a transfer beside a ping-pong", "progress while polling shared memory",
	"cancelled sends race with receives", "interrupt of a send", "a receiver closes", "close delivers", "a rank closes early",
	"death of a sender", "death of a receiver of much", "death among small messages", "death in large transfers", "death in puts to a region",
	"death in transfers of allocated memory", "death of the first rank", "death in a bound ring",
}

// Run runs every rule as a subtest named RULE/RANKS. It ends at the first
// rule whose ranks could not be joined, since they would disturb the others.
func Run(t *testing.T, s Subject) {
	t.Helper()
	if os.Getenv(rankEnv) != "" {
		t.Fatal("this process is a rank, but TestMain does not call devicetest.Main")
	}
	s.probe(t)
	seed := seedOf(t)
	type variant struct {
		rule rule
		n    int
	}
	s.know(t)
	var variants []variant
	for _, rule := range rules() {
		if len(s.Only) > 0 && !slices.Contains(s.Only, rule.name) {
			continue
		}
		if reason := rule.leftOut(s); reason != "" {
			t.Logf("rule %s is left out: %s", rule.name, reason)
			continue
		}
		for _, n := range s.sizes(rule) {
			variants = append(variants, variant{rule, n})
		}
	}
	slices.SortStableFunc(variants, func(a, b variant) int {
		if !a.rule.shares(s) || !b.rule.shares(s) {
			return sharingFirst(a.rule.shares(s), b.rule.shares(s))
		}
		return a.n - b.n
	})
	var open *series
	end := func() {
		if open == nil {
			return
		}
		if err := open.end(); err != nil {
			t.Errorf("end of the %d %v of %q over %s, options %v, GOBENCH_SEED=%d:\n%v", open.n, s.Ranks, open.ran, s.Driver.Name(), s.Options, seed, err)
		}
		open = nil
	}
	defer end()
	for _, v := range variants {
		rule, n, joined := v.rule, v.n, true
		if open != nil && (open.n != n || !rule.shares(s)) {
			end()
		}
		t.Run(fmt.Sprintf("%s/%d", rule.name, n), func(t *testing.T) {
			var err error
			if rule.shares(s) {
				open, err = open.try(s, rule, n, seed)
			} else {
				joined, err = try(s, rule, n, seed)
			}
			if err != nil {
				t.Fatalf("%s over %s, %d %v, options %v, GOBENCH_SEED=%d:\n%v",
					rule.name, s.Driver.Name(), n, s.Ranks, s.Options, seed, err)
			}
		})
		if !joined {
			t.Fatal("ranks of the failed rule still run; the remaining rules are not tried")
		}
	}
}

// sharingFirst orders rules that share a device before the others.
func sharingFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func seedOf(t *testing.T) uint64 {
	text := os.Getenv("GOBENCH_SEED")
	if text == "" {
		return rand.Uint64()
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("GOBENCH_SEED is %q, want a whole number", text)
	}
	return seed
}

// try runs one rule with n ranks. joined reports whether all ranks have ended.
func try(s Subject, rule rule, n int, seed uint64) (joined bool, err error) {
	if rule.shares(s) {
		l, err := (*series)(nil).try(s, rule, n, seed)
		if err == nil {
			err = l.end()
		}
		return true, err
	}
	dir := s.sharedDir()
	before := filesIn(dir)
	if s.Ranks == Processes {
		joined, err = true, runProcesses(s, rule, n, seed)
	} else {
		joined, err = runGoroutines(s, rule, n, seed)
	}
	if err == nil {
		err = leftovers(dir, before, s.timeout())
	}
	return joined, err
}
