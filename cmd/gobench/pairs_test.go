package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gobench/internal/exit"
	"gobench/internal/lab"
	"gobench/pairs"
)

// pairsOf runs gobench pairs on h1 and returns its verdict and exit code.
func (s *site) pairsOf(hosts string, more ...string) (v pairs.Verdict, code int, said string) {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := s.pairsCommand(hosts, more...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if left := (*exec.ExitError)(nil); err != nil && !errors.As(err, &left) {
		s.t.Fatal(err)
	}
	if err := json.Unmarshal(stdout.Bytes(), &v); err != nil {
		s.t.Fatalf("%v\n%s%s", err, stdout.Bytes(), stderr.Bytes())
	}
	return v, cmd.ProcessState.ExitCode(), stderr.String()
}

// pairsCommand measures one pair at a time, because the hosts of a lab share few cores. A signal
// reaches gobench once: in the background timeout sends it to its group, too.
func (s *site) pairsCommand(hosts string, more ...string) *exec.Cmd {
	return s.hosts[0].Command("timeout", slices.Concat([]string{"--foreground", "300", s.gobench, "pairs", "--hosts=" + hosts,
		"--copy=never", "--at-once=1", "--small-time=20ms", "--large-time=30ms", "--json", "--seed=1"}, more)...)
}

// TestPairsNameFaults plants faults in the network of a lab, up to two together, and wants their
// hosts named with the kinds, and no other.
func TestPairsNameFaults(t *testing.T) {
	s := newSite(t, 6)
	second, fifth := s.hosts[1], s.hosts[4]
	for _, c := range []struct {
		name  string
		plant func()
		want  map[string]pairs.Kind
	}{
		{"a slow link and a lossy one", func() {
			second.Slow("50mbit")
			fifth.Loss(t, 0.03)
		}, map[string]pairs.Kind{"h2": pairs.Slow, "h5": pairs.Loss}},
		{"a slow direction and a cut cable", func() {
			second.Run("tc", "qdisc", "replace", "dev", "eth0", "root", "tbf", "rate", "50mbit", "burst", "256k", "latency", "50ms")
			fifth.Cut()
		}, map[string]pairs.Kind{"h2": pairs.SlowSend, "h5": pairs.NoAnswer}},
		{"a black hole", func() {
			for _, h := range s.hosts {
				h.MTU(9000)
			}
			second.Narrow(t, 4000)
		}, map[string]pairs.Kind{"h2": pairs.LongLost}},
	} {
		c.plant()
		v, code, said := s.pairsOf("h[1-6]")
		for _, h := range s.hosts {
			h.Mend()
		}
		got := map[string]pairs.Kind{}
		for _, f := range v.Findings {
			got[strings.Join(f.Hosts, "-")] = f.Kind
			if f.Status != pairs.Confirmed || f.Advice == "" {
				t.Errorf("%s: finding %+v", c.name, f)
			}
		}
		if code != exit.Regression || !maps.Equal(got, c.want) {
			t.Errorf("%s: exit code %d, found %v, want %v: %+v\n%s", c.name, code, got, c.want, v.Findings, said)
		}
	}
	s.clean(s.hosts...)
}

// TestPairsOfGoodHosts wants no finding, and files that say so.
func TestPairsOfGoodHosts(t *testing.T) {
	s := newSite(t, 4)
	good, bad := filepath.Join(s.hosts[0].Shared(), "good"), filepath.Join(s.hosts[0].Shared(), "bad")
	for range 3 {
		v, code, said := s.pairsOf("h[1-4]", "--export=good:"+good, "--export=bad:"+bad)
		if code == exit.Regression || len(v.Findings) > 0 || len(v.Good) != 4 || !v.Complete {
			t.Errorf("exit code %d: %+v\n%s", code, v, said)
		}
	}
	if text := s.hosts[0].Run("cat", good, bad); text != "h1\nh2\nh3\nh4\n" {
		t.Errorf("good and bad hosts: %q", text)
	}
	s.clean(s.hosts...)
}

// TestPairsUnderLoad measures h1 and h3 over a slow link of two switches, without a load and beside
// the messages of h4 to h2 over the same link. The records of both have their own cells.
func TestPairsUnderLoad(t *testing.T) {
	t.Parallel()
	s := newSite(t, 4)
	s.hosts[0].Uplink("200mbit", s.hosts[1])
	none, file := filepath.Join(s.hosts[0].Shared(), "none"), filepath.Join(s.hosts[0].Shared(), "load.jsonl")
	s.hosts[0].Run("sh", "-c", "printf '0 0\n0 0\n' >"+none)
	for load, want := range map[string]func(pairs.Factor) bool{
		"incast":         func(f pairs.Factor) bool { return f.Median > 1.5 },
		"matrix:" + none: func(f pairs.Factor) bool { return f.Lo < 2 },
	} {
		var i pairs.Impact
		out := s.hosts[0].Run(s.gobench, "pairs", "--hosts=h[1-4]", "--copy=never", "--load="+load, "--small-time=5ms", "--large-time=5ms", "--deadline=1m", "-o", file, "--json")
		if err := json.Unmarshal([]byte(out), &i); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		judged := 0
		for _, f := range i.Factors {
			if f.Of == "median of half round trips" || f.Of == "time of large messages" || f.Of == "median of allreduce" {
				judged++
				if f.Of != "median of allreduce" && !want(f) {
					t.Errorf("%s: %+v", load, f)
				}
			}
		}
		if i.Failed > 2 || i.Samples != 18 || judged != 3 || load == "incast" != (i.Rate > 1e6) {
			t.Errorf("%s: %+v", load, i)
		}
	}
	if out := s.hosts[0].Run(s.gobench, "show", file); !strings.Contains(out, "load none, one each") || !strings.Contains(out, "load incast of 2 hosts, one each") {
		t.Errorf("show:\n%s", out)
	}
	s.clean(s.hosts...)
}

// TestPairsOfOddHosts measures from a host that is no member, with hosts that are named twice or
// have two names, behind a login that prints a page, and with a host that has another program.
func TestPairsOfOddHosts(t *testing.T) {
	t.Parallel()
	s := newSite(t, 5)
	s.hosts[1].Named("also")
	login := filepath.Join(s.hosts[0].Shared(), "login")
	s.hosts[0].Run("sh", "-c", `printf '#!/bin/sh\necho Welcome | tee /dev/stderr\nexec ssh -o BatchMode=yes "$@"\n' >`+login+" && chmod +x "+login)
	s.hosts[2].Run("sh", "-c", `to=$(realpath "$0") && cp "$to" /tmp/other && echo >>/tmp/other && mount --bind /tmp/other "$to"`, s.gobench)
	v, code, said := s.pairsOf("h2,h4,h2,also,h3,h5", "--ssh="+login, "--rounds=3")
	if code != exit.Regression || !slices.Equal(v.Bad, []string{"h3"}) || len(v.Good) != 3 || !strings.Contains(said, "h2 and also are one host") {
		t.Errorf("exit code %d: %+v\n%s", code, v, said)
	}
	if i := slices.IndexFunc(v.Findings, func(f pairs.Finding) bool { return f.Hosts[0] == "h3" }); i < 0 || v.Findings[i].Kind != pairs.NoAnswer || !strings.Contains(v.Findings[i].Evidence[0], "is another build") {
		t.Errorf("the host with another program: %+v", v.Findings)
	}
	s.hosts[2].Run("rm", "/tmp/other")
	for _, hosts := range []string{"h1", "h4,h4"} {
		var said bytes.Buffer
		cmd := s.pairsCommand(hosts)
		cmd.Stderr = &said
		if err := cmd.Run(); err == nil || !strings.Contains(said.String(), "one host has no partner") {
			t.Errorf("%s: %v\n%s", hosts, err, said.String())
		}
	}
	s.clean(s.hosts...)
}

// TestPairsGoOn stops a host, ends another and interrupts the command, which gives the verdict so
// far and can be resumed.
func TestPairsGoOn(t *testing.T) {
	t.Parallel()
	s := newSite(t, 5)
	log := filepath.Join(s.hosts[0].Shared(), "pairs.jsonl")
	cmd := s.pairsCommand("h[1-5]", "-o", log, "--rounds=40", "--deadline=2s")
	var stdout bytes.Buffer
	var said lab.Text
	cmd.Stdout, cmd.Stderr = &stdout, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await := func(what string, is func() bool) {
		t.Helper()
		for until := time.Now().Add(time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("%s did not happen:\n%s", what, said.String())
			}
		}
	}
	results := func() int { return strings.Count(s.hosts[0].Run("sh", "-c", "cat "+log+" 2>/dev/null || true"), "\n") }
	await("a result", func() bool { return results() > 3 })
	s.hosts[3].Freeze()
	s.hosts[4].Kill()
	await("the loss of h5", func() bool { return strings.Contains(said.String(), "h5: no answer") })
	await("the silence of h4", func() bool { return strings.Contains(said.String(), "h4: ") })
	s.hosts[3].Thaw()
	lab.Signal(cmd, syscall.SIGINT)
	cmd.Wait()
	var v pairs.Verdict
	if err := json.Unmarshal(stdout.Bytes(), &v); err != nil || v.Complete || !slices.Contains(v.Bad, "h5") || !slices.Contains(v.Good, "h1") {
		t.Errorf("%v: %+v\n%s", err, v, said.String())
	}
	before := results()
	w, code, text := s.pairsOf("h[1-5]", "-o", log, "--resume", "--rounds=1")
	if code != exit.Regression || w.Pairs < before-1 {
		t.Errorf("resumed: exit code %d, %d pairs after %d results\n%s", code, w.Pairs, before, text)
	}
}

// TestPairsUnderMpiexec has processes that mpiexec of MPICH starts measure, two of them on one
// host, which measures once.
func TestPairsUnderMpiexec(t *testing.T) {
	t.Parallel()
	s := newSite(t, 3)
	lab.Need(t, "mpiexec.hydra")
	s.hosts[1].Slow("20mbit")
	var stdout, stderr bytes.Buffer
	cmd := s.hosts[0].Command("timeout", "180", "mpiexec.hydra", "-hosts", "h1:2,h2:1,h3:1", "-n", "4",
		s.gobench, "pairs", "--at-once=1", "--small-time=20ms", "--large-time=30ms", "--json")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Run()
	var v pairs.Verdict
	if err := json.Unmarshal(stdout.Bytes(), &v); err != nil || !slices.Equal(v.Bad, []string{"h2"}) || !slices.Equal(v.Good, []string{"h1", "h3"}) {
		t.Errorf("%v: %+v\n%s%s", err, v, stdout.Bytes(), stderr.String())
	}
	if code := cmd.ProcessState.ExitCode(); code != exit.Regression {
		t.Errorf("exit code %d", code)
	}
	stderr.Reset()
	cmd = s.hosts[0].Command("timeout", "180", "mpiexec.hydra", "-hosts", "h1,h3", "-n", "2", s.gobench, "pairs", "--rounds=100", "--timeout=1s")
	cmd.Stderr = &stderr
	cmd.Run()
	if said := stderr.String(); strings.Count(said, "of --timeout are over") != 1 {
		t.Errorf("rank 0 alone says that the time is over: %s", said)
	}
	s.clean(s.hosts...)
}
