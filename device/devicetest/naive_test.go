package devicetest

import (
	"os"
	"testing"
	"time"

	"gobench/device"
	"gobench/device/devicetest/naive"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

func kill(d device.Device) { d.(*naive.Device).Kill() }

// The rules accept a device that is simple and correct.
func TestNaive(t *testing.T) {
	Run(t, Subject{Driver: &naive.Driver{}, Kill: kill, Without: map[string]string{
		"10000 unexpected messages": "a naive device buffers without bound",
		"no allocation":             "a naive device copies every message to new memory",
	}})
}

// Every rule fails for a device that breaks it.
func TestRulesCanFail(t *testing.T) {
	cases := []struct {
		rule  string
		ranks int
		fault naive.Fault
	}{
		{"no overtaking", 2, naive.Overtaking},
		{"order of many senders", 4, naive.Overtaking},
		{"first posted receive matches", 2, naive.WildcardsLast},
		{"first unexpected message matches", 2, naive.Overtaking},
		{"contexts are apart", 2, naive.OneContext},
		{"zero length", 2, naive.LosesZero},
		{"every size", 2, naive.Flipped},
		{"allocated buffers", 2, naive.Flipped},
		{"both send 64 MiB", 2, naive.Flipped},
		{"truncation", 2, naive.Overrun},
		{"truncation", 2, naive.ShortStatus},
		{"truncation of a self message", 1, naive.ShortStatus},
		{"self messages", 3, naive.EagerSsend},
		{"synchronous send", 2, naive.EagerSsend},
		{"probe", 2, naive.ProbeTakes},
		{"probe among many", 4, naive.Overtaking},
		{"peek", 2, naive.PeekLast},
		{"handles that are not live", 2, naive.StaleHandles},
		{"many outstanding requests", 2, naive.Flipped},
		{"test loops", 2, naive.Flipped},
		{"operations together", 2, naive.Backwards},
		{"some fail together", 2, naive.EndsEarly},
		{"truncation together", 2, naive.EndsEarly},
		{"argument errors", 2, naive.NoArguments},
		{"info", 2, naive.NoInfo},
		{"cancel a receive", 2, naive.CancelBoth},
		{"cancel a receive", 2, naive.CancelNever},
		{"cancel a send", 2, naive.CancelNever},
		{"cancel too late", 2, naive.CancelDone},
		{"cancelled sends race with receives", 2, naive.CancelBoth},
		{"cancelled receives race with sends", 2, naive.CancelBoth},
		{"10000 unexpected messages", 3, naive.None},
		{"flood", 4, naive.Overtaking},
		{"imported memory stays", 2, naive.Reused},
		{"posted data", 2, naive.Flipped},
		{"puts and gets of a region", 2, naive.Flipped},
		{"a region of all ranks or of none", 2, naive.LoneRegion},
		{"no allocation", 2, naive.None},
		{"all to all", 3, naive.Flipped},
		{"ring", 2, naive.LosesAll},
		{"random traffic", 3, naive.Overtaking},
		{"random traffic", 3, naive.Flipped},
		{"after close", 2, naive.NoClosed},
		{"after close", 2, naive.Leaky},
		{"close delivers", 2, naive.Flipped},
		{"a receiver closes", 2, naive.LateAnswers},
		{"a rank closes early", 3, naive.DeafToDeath},
		{"interrupt of a receive", 2, naive.Uninterrupted},
		{"interrupt of a send", 2, naive.Uninterrupted},
		{"death of a sender", 2, naive.DeafToDeath},
		{"death before any source", 4, naive.DeafToDeath},
		{"death before a probe", 2, naive.DeafToDeath},
		{"death seen by test and iprobe", 2, naive.DeafToDeath},
		{"death of a receiver", 2, naive.DeafToDeath},
		{"death of a receiver of much", 3, naive.DeafToDeath},
		{"death beside sends", 3, naive.DeafToDeath},
		{"death among small messages", 2, naive.DeafToDeath},
		{"death in large transfers", 2, naive.DeafToDeath},
		{"death in transfers of allocated memory", 2, naive.DeafToDeath},
		{"death in puts to a region", 2, naive.DeafToDeath},
		{"death of the first rank", 3, naive.DeafToDeath},
		{"death of many in a new context", 11, naive.DeafToDeath},
		{"death of a host", 4, naive.DeafToDeath},
		{"death in a bound context", 3, naive.Unbound},
		{"death in a bound ring", 5, naive.Unbound},
		{"a rank is dead before it is bound", 3, naive.Unbound},
		{"death of a rank outside a context", 3, naive.Unbound},
		{"a bound rank closes", 3, naive.ClosedIsDead},
		{"progress while polling shared memory", 2, naive.DeafToDeath},
		{"packets beside a ping-pong", 3, naive.Starving},
		{"a transfer beside a ping-pong", 3, naive.Starving},
		{"a stream does not starve others", 3, naive.Greedy},
		{"death beside a ping-pong", 3, naive.Unbound},
	}
	// With these faults a rank waits for ever, so a time limit finds them, which is many times as
	// long as the rule takes without a fault. The others need no limit.
	waits := map[naive.Fault]bool{naive.DeafToDeath: true, naive.Unbound: true, naive.Uninterrupted: true, naive.LosesZero: true, naive.LosesAll: true,
		naive.CancelBoth: true, naive.CancelNever: true, naive.Greedy: true}
	broken := map[string]bool{}
	for _, c := range cases {
		for _, u := range rules() {
			if u.name != c.rule {
				continue
			}
			broken[u.name] = true
			attempt := func(f naive.Fault, limit time.Duration) error {
				driver := &naive.Driver{Fault: f}
				defer driver.Stop()
				_, err := try(Subject{Driver: driver, Kill: kill, settle: 100 * time.Millisecond, Limit: limit}, u, c.ranks, 1)
				return err
			}
			limit := time.Duration(0)
			if waits[c.fault] {
				begin := time.Now()
				if err := attempt(naive.None, 0); err != nil {
					t.Errorf("rule %q fails without a fault: %v", c.rule, err)
				}
				limit = max(200*time.Millisecond, 20*time.Since(begin))
			}
			// A fault that depends on the timing of ranks may take several attempts.
			var err error
			for n := 0; err == nil && n < 20; n++ {
				err = attempt(c.fault, limit)
			}
			if err == nil {
				t.Errorf("rule %q holds for a device with fault %d", c.rule, c.fault)
			} else {
				t.Logf("%s, fault %d: %v", c.rule, c.fault, err)
			}
		}
	}
	for _, u := range rules() {
		if !broken[u.name] && !u.long {
			t.Errorf("no fault is known that rule %q finds", u.name)
		}
	}
}
