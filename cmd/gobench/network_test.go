package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gobench/internal/lab"
)

// TestNetworkFaults measures between hosts whose network carries a part of the connections or of
// the packets. Where one direction of connections is enough it is used. Else the command ends with
// a sentence that names both hosts, the directions, and the remedy, and blames no rank that is
// well.
func TestNetworkFaults(t *testing.T) {
	t.Parallel()
	s := newSite(t, 6)
	for i, refuses := range []bool{false, true, true} {
		s.hosts[1+i].Shut(t, refuses) // h2 drops, h3 and h4 refuse
	}
	for _, h := range s.hosts[4:] {
		h.MTU(9000)
	}
	s.hosts[4].Narrow(t, 4000)
	for _, h := range []*lab.Host{s.hosts[0], s.hosts[4]} {
		h.Run("ip", "link", "set", "lo", "down")
	}
	const stream = " --transport=sockets --level=socket"
	var runs sync.WaitGroup
	for i, c := range []struct {
		line string
		code int
		want string // a match of standard error
	}{
		// The higher rank calls first.
		{"p2p --hosts=h2,h1", 0, ""},
		{"p2p --hosts=h3,h1", 0, ""},
		{"p2p --hosts=h2,h1" + stream, 0, ""},
		{"p2p --hosts=h3,h1" + stream + " --set=family=tcp --set=calls=block", 0, ""},
		{"p2p --hosts=h3,h4", 1, `^gobench: rank 1 on h4 cannot be reached: from h3 to 10\.77\.0\.4:\d+ connection refused \(1 try\); from h4 to 10\.77\.0\.3:\d+ nothing has come; the launcher reaches both hosts, so a firewall or the routes between h3 and h4 stop it: open TCP ports there, and fix them with --set port=N .*\n$`},
		{"p2p --hosts=h3,h4" + stream, 1, `^gobench: rank 1 on h4 cannot be reached: from h3 to .* connection refused .* nothing has come; .* open TCP ports there, or measure with --transport=tcp`},
		{"p2p -n 3 --bench=exchange --hosts=h1,h3,h4", 1, `^gobench: rank 1 on h3 cannot take part: rank 2 on h4 cannot be reached: from h3 to `},
		{"p2p --hosts=h6,h5 --set=peer_timeout=4000", 1, `rank 1 on h5 is lost: its host 10\.77\.0\.5 answers short packets, but for \S+s none of 9000 bytes: compare the MTUs`},
		{"p2p --hosts=h6,h5" + stream, 1, `rank 1( on h5)? is lost: its host 10\.77\.0\.5 answers short packets, but for \S+s none of 9000 bytes: compare the MTUs`},
		// The loopback interface is needed, and tried, only where several ranks of a host use it.
		{"p2p --hosts=h1,h5", 0, ""},
		{"p2p --hosts=h1,h5 --transport=sockets --level=socket --set=family=tcp", 0, ""},
		{"coll --op=bcast --hosts=h1,h5:2 --transport=tcp", 1, `rank 1 on h5: transport tcp cannot be used here: .*; bring the loopback interface up`},
	} {
		runs.Go(func() {
			sizes := "8"
			if strings.Contains(c.want, "MTU") {
				sizes = "8,20K" // 8 B pass
			}
			line := slices.Concat([]string{fmt.Sprint(2 * timeout.Seconds()), s.gobench}, strings.Fields(c.line),
				[]string{"--copy=never", "--launches=1", "--iterations=30", "--sizes=" + sizes, "-o", filepath.Join(s.hosts[0].Shared(), fmt.Sprintf("net%d.jsonl", i))})
			var stdout, stderr bytes.Buffer
			cmd := s.hosts[0].Command("timeout", line...)
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
				t.Error(err)
				return
			}
			said := slow.ReplaceAllString(stderr.String(), "")
			if code := cmd.ProcessState.ExitCode(); code != c.code || !regexp.MustCompile(c.want).MatchString(said) {
				t.Errorf("%s: exit code %d, want %d and a match of %s\n%s", c.line, code, c.code, c.want, said)
			}
			if regexp.MustCompile(`(?m)^ +8 +\d+ `).MatchString(stdout.String()) != (c.code == 0) {
				t.Errorf("%s: the row of 8 B: %s", c.line, stdout.String())
			}
			if strings.Contains(said, "1 result of the failed launch left out") != (sizes != "8") {
				t.Errorf("%s: the result of 8 B: %s", c.line, said)
			}
		})
	}
	runs.Wait()
	s.clean(s.hosts...)
}
