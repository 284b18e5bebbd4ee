package devicetest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"gobench/device"
)

// An outcome is the result of a rule on one rank, "" if it was kept.
type outcome struct{ Rule, Error string }

// RunLaunched is Run for a driver that is a device.Joiner: command returns the command of its
// launcher that starts n ranks of a program. One launch of each size runs all rules, one after the
// other, and ends at the first that fails. No rank dies in it.
func RunLaunched(t *testing.T, s Subject, command func(n int, program string) []string) {
	t.Helper()
	s.Ranks = Processes
	s.know(t)
	seed := seedOf(t)
	bySize := map[int][]rule{}
	for _, u := range rules() {
		reason := u.leftOut(s)
		switch {
		case len(s.Only) > 0 && !slices.Contains(s.Only, u.name):
			continue
		case reason == "" && u.dies != nil:
			reason = "the launcher ends all ranks when one dies"
		}
		if reason != "" {
			t.Logf("rule %s is left out: %s", u.name, reason)
			continue
		}
		for _, n := range s.sizes(u) {
			bySize[n] = append(bySize[n], u)
		}
	}
	for n := range 65 {
		if len(bySize[n]) == 0 {
			continue
		}
		slices.SortStableFunc(bySize[n], func(a, b rule) int { return sharingFirst(a.shares(s), b.shares(s)) })
		t.Run(strconv.Itoa(n), func(t *testing.T) { launched(t, s, n, bySize[n], seed, command) })
	}
}

// launched runs rules in one launch of n ranks.
func launched(t *testing.T, s Subject, n int, list []rule, seed uint64, command func(n int, program string) []string) {
	o := orders{Driver: s.Driver.Name(), Options: s.Options, Size: n, Seed: seed, Timeout: s.timeout(), Dir: t.TempDir()}
	for _, u := range list {
		o.Rules = append(o.Rules, u.name)
		o.Limit = max(o.Limit, u.limit(s))
	}
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	before := filesIn(sharedDir)
	line := command(n, program)
	cmd := exec.CommandContext(t.Context(), line[0], line[1:]...)
	cmd.Env = append(os.Environ(), rankEnv+"="+string(text))
	cmd.WaitDelay = 10 * time.Second
	output, ended := cmd.CombinedOutput()
	ranks := make([][]outcome, n)
	for rank := range ranks {
		ranks[rank] = outcomesOf(filepath.Join(o.Dir, strconv.Itoa(rank)))
	}
	for i, u := range list {
		failed, missing := false, false
		for rank, v := range ranks {
			switch {
			case i >= len(v):
				missing = true
			case v[i].Error != "":
				failed = true
				t.Errorf("%s over %s, %d ranks, options %v, GOBENCH_SEED=%d: rank %d: %s", u.name, s.Driver.Name(), n, s.Options, seed, rank, v[i].Error)
			}
		}
		if failed {
			return
		}
		if missing {
			t.Fatalf("%s: a rank has ended without an outcome: %v\n%s", u.name, ended, output)
		}
	}
	if err := errors.Join(ended, leftovers(sharedDir, before, s.timeout())); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

func outcomesOf(file string) []outcome {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	var list []outcome
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var v outcome
		if json.Unmarshal(lines.Bytes(), &v) == nil {
			list = append(list, v)
		}
	}
	return list
}

// onOneHost is the device.Job of ranks that a launcher has started here.
type onOneHost struct{ device.JoinedJob }

func (j onOneHost) LocalSize() int { return j.Size() }
func (j onOneHost) Hosts() []int   { return make([]int, j.Size()) }

// joined runs all rules as a rank of a launcher, and writes the outcomes to a file.
func (o orders) joined() error {
	runtime.LockOSThread()
	driver, err := device.Lookup(o.Driver)
	if err != nil {
		return err
	}
	joiner, ok := driver.(device.Joiner)
	if !ok {
		return fmt.Errorf("driver %s joins no launcher", o.Driver)
	}
	job, err := joiner.Join()
	if err != nil {
		return err
	}
	if job == nil || job.Size() != o.Size {
		return fmt.Errorf("the launcher has not started %d ranks: %v", o.Size, job)
	}
	file, err := os.Create(filepath.Join(o.Dir, strconv.Itoa(job.Rank())))
	if err != nil {
		return err
	}
	defer file.Close()
	out := json.NewEncoder(file)
	s := Subject{Driver: driver, Options: o.Options, Ranks: Processes}
	for at := 0; at < len(o.Rules); at++ {
		u, _ := named(o.Rules[at])
		r := &rank{trace: newTrace(traceEvents), forked: true, seed: o.Seed}
		watchdog := time.AfterFunc(o.Limit, func() {
			out.Encode(outcome{o.Rules[at], fmt.Sprintf("time limit of %v exceeded; last operations:\n%s", o.Limit, r.trace.last(8))})
			os.Exit(3)
		})
		before := resources()
		err := r.run(s, u, onOneHost{job}, func() *rule {
			if at+1 == len(o.Rules) {
				return nil
			}
			next, _ := named(o.Rules[at+1])
			if !u.shares(s) || !next.shares(s) {
				return nil
			}
			out.Encode(outcome{Rule: o.Rules[at]})
			watchdog.Reset(o.Limit)
			at++
			return &next
		})
		watchdog.Stop()
		if err == nil {
			err = before.returned(o.Timeout)
		}
		v := outcome{Rule: o.Rules[at]}
		if err != nil {
			v.Error = err.Error()
		}
		if e := out.Encode(v); err != nil || e != nil {
			return errors.Join(err, e)
		}
	}
	return job.Close()
}
