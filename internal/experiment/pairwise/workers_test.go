package pairwise

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gobench/device"
	"gobench/internal/launch/remote"
	"gobench/pairs"
)

// A crowd has workers that report what a measurement would find between hosts of which some are
// slow.
type crowd struct {
	workers *Workers
	hosts   []pairs.Host
	dead    []atomic.Bool
	slow    map[string]float64
	dial    func() // is called in place of a dial
	deaf    string // host that cannot listen
}

// newCrowd connects workers that measure nothing.
func newCrowd(t *testing.T, n int, slow map[string]float64) *crowd {
	t.Helper()
	c := &crowd{dead: make([]atomic.Bool, n), slow: slow}
	o := Defaults
	o.Deadline = 200 * time.Millisecond
	streams := map[string]net.Conn{}
	for i := range n {
		name := fmt.Sprintf("h%d", i+1)
		c.hosts = append(c.hosts, pairs.Host{Name: name})
		here, there := net.Pipe()
		streams[name] = here
		go c.work(i, there)
	}
	c.workers = newWorkers(o)
	for _, h := range c.hosts {
		c.workers.join(t.Context(), h.Name, streams[h.Name])
	}
	t.Cleanup(c.workers.Close)
	return c
}

// work answers orders until the worker is dead: then it reads them, and does nothing.
func (c *crowd) work(i int, stream net.Conn) {
	l := newLine(stream)
	rng := rand.New(rand.NewPCG(7, uint64(i)))
	for {
		var o order
		if l.receive(&o) != nil {
			return
		}
		if c.dead[i].Load() {
			continue
		}
		switch p := o.Pair; {
		case o.Clock != 0:
			l.send(report{Clock: &moment{o.Clock, time.Now().UnixNano()}})
		case o.Listen == "begin" && c.hosts[i].Name == c.deaf:
			l.send(report{Reached: &reached{Error: "no socket is left"}})
		case o.Listen == "begin":
			l.send(report{Reached: &reached{Addresses: []string{"127.0.0.1:1"}}})
		case o.Dial != nil:
			c.dial()
		case o.Look != nil:
			l.send(report{Look: &look{Number: o.Look.Number, Version: "this"}})
		case p != nil:
			factor := 1.0
			for _, name := range p.Hosts {
				factor *= max(1, c.slow[name])
			}
			noise := func() float64 { return math.Exp(0.05 * rng.NormFloat64()) }
			d := &done{ID: p.ID}
			if p.Rank == 0 {
				d.HalfRTT = pairs.Times{Median: 1e-5 * factor * noise(), P99: 3e-5 * factor * noise(), N: 1000}
				d.Forth, d.Back, d.Both = 1e10/factor*noise(), 1e10/factor*noise(), 2e10/factor*noise()
			}
			l.send(report{Done: d})
		}
	}
}

// TestManyWorkers measures 512 hosts, of which two are slow and five stop in the middle.
func TestManyWorkers(t *testing.T) {
	c := newCrowd(t, 512, map[string]float64{"h7": 2, "h300": 1.5})
	study := pairs.NewStudy(c.hosts, pairs.Options{Seed: 3})
	lost := []int{10, 100, 200, 400, 511}
	batches := 0
	err := c.workers.measure(t.Context(), c.hosts, study, nil, func([]pairs.Sample) {
		if batches++; batches == 9 {
			for _, i := range lost {
				c.dead[i].Store(true)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	v := study.Verdict(nil)
	want := []string{"h7", "h300"}
	for _, i := range lost {
		want = append(want, c.hosts[i].Name)
	}
	if got := slices.Sorted(slices.Values(v.Bad)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("bad hosts %v, want %v; findings %+v", got, want, v.Findings)
	}
	if len(v.Good) != 512-len(want) {
		t.Errorf("%d good hosts", len(v.Good))
	}
}

// A study of one pair at a time is judged in each round once, not after each of its batches.
func TestOnceARound(t *testing.T) {
	c := newCrowd(t, 8, nil)
	looks, batches := 0, 0
	look := onceARound(func() { looks++ })
	err := c.workers.measure(t.Context(), c.hosts, pairs.NewStudy(c.hosts, pairs.Options{Seed: 3, Rounds: 7, AtOnce: 1}), nil, func(list []pairs.Sample) {
		if list[0].Stage == pairs.Survey && list[0].Round < 7 { // noise may make more
			batches++
			look(list)
		}
	})
	if err != nil || looks != 7 || batches != 7*4 {
		t.Errorf("%v: %d looks at %d batches", err, looks, batches)
	}
}

// TestResume replays results of an interrupted run, whatever their order, and measures the rest.
func TestResume(t *testing.T) {
	c := newCrowd(t, 6, nil)
	o := pairs.Options{Seed: 3}
	count := func(known []pairs.Sample) (all, measured []pairs.Sample) {
		study := pairs.NewStudy(c.hosts, o)
		if err := c.workers.measure(t.Context(), c.hosts, study, known, func(list []pairs.Sample) { measured = append(measured, list...) }); err != nil {
			t.Fatal(err)
		}
		return study.Samples(), measured
	}
	all, _ := count(nil)
	half := slices.Clone(all[:len(all)/2])
	slices.Reverse(half)
	again, measured := count(half)
	if len(again) < len(all)/2 || len(measured) != len(again)-len(half) {
		t.Errorf("%d results, %d of them measured, after %d known ones", len(again), len(measured), len(half))
	}
}

func TestKindOfFailures(t *testing.T) {
	if got := silent([]string{"h1", "h2", "h3"}, []int{0, 2}); got.Failed != "h1, h3: no answer any more" || got.Kind != pairs.NoAnswer {
		t.Errorf("two of three are silent: %+v", got)
	}
	for _, c := range []struct {
		a, b done
		want pairs.Kind
	}{
		{done{Phase: connecting, Error: "refused"}, done{}, pairs.NoConnection},
		{done{Phase: small, Error: "late"}, done{Phase: small, Error: "late"}, pairs.NoAnswer},
		{done{Phase: small, Error: "late", Resent: [2]int{2, 0}}, done{Phase: small, Error: "late", Resent: [2]int{1, 0}}, pairs.Loss},
		{done{Phase: large, Error: "late", Resent: [2]int{0, 5}}, done{}, pairs.LongLost},
		{done{Phase: large, Error: "late", Resent: [2]int{2, 5}}, done{}, pairs.LongLost},
		{done{Phase: large, Error: "late", Resent: [2]int{1, 5}}, done{Resent: [2]int{2, 0}}, pairs.Loss},
		{done{Phase: large, Error: "late", Forth: 1}, done{}, pairs.NoAnswer},
		{done{Phase: large, Error: "aborted"}, done{Phase: checking, Error: "wrong"}, pairs.WrongData},
	} {
		if got := together([]string{"h1", "h2"}, []*done{&c.a, &c.b}, make([]error, 2)); got.Kind != c.want || got.Failed == "" {
			t.Errorf("%+v, %+v: %+v, want %s", c.a, c.b, got, c.want)
		}
	}
}

// TestOrderBehindTheHandshake wants an order that arrives with the last byte of the handshake.
func TestOrderBehindTheHandshake(t *testing.T) {
	here, there := net.Pipe()
	defer here.Close()
	go func() {
		fmt.Fprintln(there, "nonce")
		bufio.NewReaderSize(there, 256).ReadBytes('\n')
		io.WriteString(there, "\x01order\n")
		there.Close()
	}()
	if err := introduce(here, nil, 1); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(here); err != nil || string(rest) != "order\n" {
		t.Errorf("%q is left, %v", rest, err)
	}
}

// TestLoginThatHangs wants an error that says so, and no wait for the login.
func TestLoginThatHangs(t *testing.T) {
	login := filepath.Join(t.TempDir(), "login")
	if err := os.WriteFile(login, []byte("#!/bin/sh\nexec sleep 1000\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := Command{Measure: Defaults, Hosts: []string{"a.invalid", "b.invalid"}, How: remote.Options{SSH: login, Timeout: 100 * time.Millisecond}}
	_, err := c.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "takes more than 100ms") || !strings.Contains(err.Error(), "a.invalid") {
		t.Errorf("error %v", err)
	}
}

// TestBatchEnds measures with a host that never answers, and with one that has gone.
func TestBatchEnds(t *testing.T) {
	c := newCrowd(t, 4, nil)
	c.dead[1].Store(true)
	c.workers.all["h4"].stream.Close()
	for c.workers.Lost()["h4"] == nil {
		time.Sleep(time.Millisecond)
	}
	results := c.workers.Batch(t.Context(), c.hosts, []pairs.Match{{A: 0, B: 1}, {A: 2, B: 3}})
	for i, culprit := range []string{"h2", "h4"} {
		if r := results[i]; r.Failed == "" || r.Kind != pairs.NoAnswer || r.Culprit != culprit {
			t.Errorf("result %+v, want a failure of %s", r, culprit)
		}
	}
	// The good host of the first pair is free again.
	if r := c.workers.Batch(t.Context(), c.hosts, []pairs.Match{{A: 0, B: 2}})[0]; r.Failed != "" || r.HalfRTT.N == 0 {
		t.Errorf("result %+v", r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	study := pairs.NewStudy(c.hosts, pairs.Options{})
	if err := c.workers.measure(ctx, c.hosts, study, nil, func([]pairs.Sample) {}); err == nil {
		t.Error("an interrupted measurement has no error")
	}
}

// TestInterrupted wants no host that is lost or missing because the command was interrupted: who
// ends a command may end its ssh, too.
func TestInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancelCause(t.Context())
	why := errors.New("interrupted")
	c := newCrowd(t, 2, nil)
	c.dial = func() { interrupt(why) }
	if reach, deaf := c.workers.Reach(ctx); len(reach)+len(deaf) > 0 {
		t.Errorf("connections %v, remarks %v", reach, deaf)
	}
	c.dead[0].Store(true)
	here, there := net.Pipe()
	c.workers.join(ctx, "h3", here)
	id, events, forget := c.workers.watch(1)
	defer forget()
	c.workers.all["h3"].pair = id
	there.Close()
	if e := <-events; e.lost == nil || len(c.workers.Lost()) > 0 {
		t.Errorf("event %+v, lost %v", e, c.workers.Lost())
	}
	if _, _, missing := (&cluster{workers: c.workers}).look(ctx, 0); len(missing) > 0 {
		t.Errorf("missing %v", missing)
	}
	command := Command{Measure: Defaults, Hosts: []string{"a.invalid", "b.invalid"}}
	if _, err := command.Run(ctx); !errors.Is(err, why) {
		t.Errorf("the command ends with %v", err)
	}
}

// TestLateLook wants the look that was asked for, not one before.
func TestLateLook(t *testing.T) {
	c := newCrowd(t, 1, nil)
	c.workers.all["h1"].looks <- &look{Version: "late"}
	if facts, missing := c.workers.Look(t.Context(), true, 0); len(facts) != 1 || facts[0].Words["gobench"] != "this" {
		t.Errorf("facts %+v, missing %v", facts, missing)
	}
}

// TestTornLog appends a command to files that end as a crash or a full file system may leave them.
func TestTornLog(t *testing.T) {
	for _, before := range []string{"", `{"kind":"pairs","hosts":["a"],"plan":{"seed":1}}` + "\n", `{"kind":"pairs","hosts":["a"],"plan":{"seed":1}}` + "\n" + `{"A":"h1","B":"h`} {
		c := Command{Log: filepath.Join(t.TempDir(), "log"), Hosts: []string{"h1", "h2"}, Plan: pairs.Options{Seed: 7}}
		if err := os.WriteFile(c.Log, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		l, _, err := c.openLog()
		if err != nil {
			t.Fatal(err)
		}
		if err := l.add([]pairs.Sample{{A: "h1", B: "h2"}}); err != nil {
			t.Fatal(err)
		}
		l.Close()
		if head, known, err := readLog(c.Log); err != nil || head == nil || head.Plan.Seed != 7 || len(known) != 1 {
			t.Errorf("behind %q: head %+v, results %+v, %v", before, head, known, err)
		}
	}
}

// TestHostThatDoesNotListen wants it named, and not the other one.
func TestHostThatDoesNotListen(t *testing.T) {
	c := newCrowd(t, 2, nil)
	c.deaf = "h2"
	if _, deaf := c.workers.Reach(t.Context()); len(deaf) != 1 || deaf["h2"] == nil {
		t.Errorf("%v do not listen", deaf)
	}
}

// TestOtherMeasurement wants no comparison with results of another transport, other options or
// times, or other hosts.
func TestOtherMeasurement(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	command := func(change func(*Command)) *Command {
		c := &Command{Log: file, Hosts: []string{"h1", "h2"}, Measure: Defaults, Plan: pairs.Options{Seed: 7}}
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
		change(c)
		return c
	}
	l, _, err := command(func(*Command) {}).openLog()
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	for name, test := range map[string]struct {
		change func(*Command)
		ok     bool
	}{
		"the same":  {func(*Command) {}, true},
		"time-outs": {func(c *Command) { c.Measure.Deadline, c.Measure.Set = time.Minute, nil }, true},
		"transport": {func(c *Command) { c.Measure.Transport = "self" }, false},
		"set":       {func(c *Command) { c.Measure.Set = map[string]string{"rails": "2"} }, false},
		"small":     {func(c *Command) { c.Measure.Small *= 2 }, false},
		"large":     {func(c *Command) { c.Measure.Large *= 2 }, false},
		"hosts":     {func(c *Command) { c.Hosts = []string{"h1", "h3"} }, false},
	} {
		c := command(test.change)
		c.Resume = true
		l, _, err := c.openLog()
		if (err == nil) != test.ok {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			l.Close()
		}
	}
}

// TestLimitOfAPair wants a deadline besides what the options ask for.
func TestLimitOfAPair(t *testing.T) {
	for _, c := range []struct {
		o   Options
		min time.Duration
	}{
		{Options{Small: time.Second, Large: 2 * time.Second, Deadline: 5 * time.Second}, 12 * time.Second},
		{Options{Small: 30 * time.Millisecond, Large: 50 * time.Millisecond, Deadline: 5 * time.Second, Interval: 100 * time.Millisecond}, 10 * time.Second},
	} {
		if got := c.o.limit(); got < c.min {
			t.Errorf("%+v ends after %v, want %v or more", c.o, got, c.min)
		}
	}
}

// jobOf has ranks on hosts with these numbers.
type jobOf struct {
	device.Job
	hosts []int
}

func (j jobOf) Hosts() []int { return j.hosts }

// TestPlanOfAJob wants the hosts of a job that are not connected yet.
func TestPlanOfAJob(t *testing.T) {
	c := Command{Job: jobOf{hosts: []int{0, 1, 0, 2, 3, 1}}, Measure: Defaults}
	if got := c.Describe(); !strings.HasPrefix(got, "4 hosts: 6 rounds of 2 pairs, 2 at the same time") {
		t.Error(got)
	}
}

// TestReachTime wants time for two time-outs of each host, of which a worker tries a few at the
// same time.
func TestReachTime(t *testing.T) {
	for _, n := range []int{1, dialsAtOnce, dialsAtOnce + 1, 10*dialsAtOnce + 1, 4096} {
		if rounds := math.Ceil(float64(n) / dialsAtOnce); reachTime(n).Seconds() <= rounds*2*dialTimeout.Seconds() {
			t.Errorf("%d hosts have %v", n, reachTime(n))
		}
	}
}
