package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"gobench/internal/lab"
)

var lostHosts = flag.Int("lost", 4, "jobs of TestHostsLostAtAnyMoment, in each of which a host is lost")

// TestHostsLostAtAnyMoment kills or disconnects a host at a random moment of a job on two hosts:
// while gobench connects to it, while ranks start, or while they exchange messages through memory
// and over the network. The command ends with a sentence that names the host, and the rank once
// there are ranks, and leaves no process or file.
func TestHostsLostAtAnyMoment(t *testing.T) {
	t.Parallel()
	const largest = 8 // concurrent jobs
	for first := 0; first < *lostHosts; first += largest {
		t.Run(fmt.Sprint(first+1), func(t *testing.T) { loseHosts(t, min(largest, *lostHosts-first)) })
	}
}

// loseHosts runs jobs concurrently, each on h1 and another host.
func loseHosts(t *testing.T, jobs int) {
	s := newSite(t, 1+jobs)
	left := []*lab.Host{s.hosts[0]}
	var commands []*command
	for i, host := range s.hosts[1:] {
		c := s.start("coll", "--op=allreduce", "--hosts=h1:2,"+host.Name+":2", "--transport=smem+tcp", "--copy=never", "--set=wait=yield", "--set=peer_timeout=2000")
		moment := rand.N(1500 * time.Millisecond)
		time.Sleep(moment) // a random moment has no event to wait for
		if i%2 == 0 {
			host.Kill()
			t.Logf("%s is killed after %v", host.Name, moment)
		} else {
			host.Cut()
			left = append(left, host)
			t.Logf("%s is cut off after %v", host.Name, moment)
		}
		commands = append(commands, c)
	}
	for i, c := range commands {
		name := s.hosts[1+i].Name
		c.end(1, `host `+name+`: |rank \d+ on `+name+` is lost|rank \d+ .*is lost: .*`+name)
	}
	for _, host := range left[1:] {
		host.Mend()
	}
	s.clean(left...)
}
