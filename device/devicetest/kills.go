package devicetest

import (
	"os"
	"slices"
	"strconv"
	"testing"
)

// A killJob is a job of Kills: a rule, and its number of ranks.
type killJob struct {
	rule  string
	ranks int
}

var killJobs = []killJob{
	{"death among small messages", 2},
	{"death in large transfers", 2},
	{"death in large transfers", 4},
	{"death among small messages", 4},
	{"death of a host", 4},
}

// Kills kills ranks at random moments of small and large transfers, in GOBENCH_KILLS jobs if that
// is set, else in each kind of job once. Without and MaxRanks of s leave kinds out. Survivors must
// report the death by a *device.PeerError, talk to each other and end, as in the rules of Run. A
// test that fails names the seed of its job: GOBENCH_SEED repeats the random numbers, and the
// kernel decides what they meet. The ranks of s must be Processes.
func Kills(t *testing.T, s Subject) {
	t.Helper()
	if s.Ranks != Processes {
		t.Fatal("ranks that are goroutines cannot be killed")
	}
	s.probe(t)
	jobs := slices.DeleteFunc(slices.Clone(killJobs), func(k killJob) bool {
		return s.Without[k.rule] != "" || s.MaxRanks > 0 && k.ranks > s.MaxRanks
	})
	count, seed, all := len(jobs), seedOf(t), rules()
	if text := os.Getenv("GOBENCH_KILLS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("GOBENCH_KILLS is %q, want a whole number above 0", text)
		}
		count = n
	}
	for i := range count {
		job := jobs[i%len(jobs)]
		rule := all[slices.IndexFunc(all, func(u rule) bool { return u.name == job.rule })]
		joined, err := try(s, rule, job.ranks, seed+uint64(i))
		if err != nil {
			t.Errorf("job %d of %d, %s over %s, %d ranks, options %v, GOBENCH_SEED=%d:\n%v",
				i+1, count, job.rule, s.Driver.Name(), job.ranks, s.Options, seed+uint64(i), err)
		}
		if !joined {
			t.Fatal("ranks of the job still run; no more are started")
		}
	}
}
