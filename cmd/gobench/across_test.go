package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gobench/internal/launch/host"
	"gobench/record"
)

// run runs gobench on h1 to its end, with short launches, and returns its exit code, its records
// and what it printed on standard error.
func (s *site) run(args ...string) (code int, rows *record.File, said string) {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	// gobench tune takes long on a busy machine
	line := slices.Concat([]string{fmt.Sprint(3 * timeout.Seconds()), s.gobench}, args)
	if args[0] != "tune" {
		line = append(line, "--json=all", "--launches=1", "-o", filepath.Join(s.hosts[0].Shared(), "records.jsonl"))
	}
	cmd := s.hosts[0].Command("timeout", line...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	if args[0] != "tune" {
		if rows, err = record.Read(&stdout); err != nil {
			s.t.Fatalf("%q: %v", args, err)
		}
	}
	return cmd.ProcessState.ExitCode(), rows, stderr.String()
}

// TestAcrossHosts runs the tests that need several hosts and no other load.
func TestAcrossHosts(t *testing.T) {
	s := newSite(t, 4)
	for name, test := range map[string]func(t *testing.T, s *site){
		"kernels": kernelsOnHosts, "tune": tuneOnHosts, "tables that differ": tablesThatDiffer, "hosts that share less": hostsThatShareLess,
		"counters": countersOfHosts, "rails": railsOfHosts,
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			test(t, s)
			s.clean(s.hosts...)
		})
	}
}

// Segments that a host sends again, because packets are lost, are in the record, and a warning
// names host and counter.
func countersOfHosts(t *testing.T, s *site) {
	s.hosts[1].Loss(t, 0.1)
	defer s.hosts[1].Mend()
	for _, what := range []string{"p2p --sizes=64K", "npb is --class=S --repeat=1"} {
		// A packet that is lost six times is sent again after more than the usual peer_timeout.
		code, rows, said := s.run(append(strings.Fields(what), "--hosts=h1,h2", "--transport=tcp", "--set=peer_timeout=60000")...)
		if code != 0 || len(rows.Points) == 0 {
			t.Fatalf("%s: exit code %d\n%s", what, code, said)
		}
		named := func(w string) bool { return strings.Contains(w, host.Resent+" +") }
		if !slices.ContainsFunc(rows.Points, func(p record.Point) bool {
			return p.Counters["h1 "+host.Resent]+p.Counters["h2 "+host.Resent] > 0 && slices.ContainsFunc(p.Warnings, named)
		}) {
			t.Errorf("%s: counters %v, warnings %q of the first point", what, rows.Points[0].Counters, rows.Points[0].Warnings)
		}
	}
}

// Two ranks of a host use a NIC each: bytes arrive over both.
func railsOfHosts(t *testing.T, s *site) {
	s.hosts[0].Join("rail", "10.88.0.1/24", s.hosts[1], "rail", "10.88.0.2/24")
	defer s.hosts[0].Run("ip", "link", "del", "rail")
	for options, want := range map[string]bool{"--set=rails=one": false, "--set=rails=all": true} {
		received := func(nic string) int {
			n, err := strconv.Atoi(strings.TrimSpace(s.hosts[1].Run("cat", "/sys/class/net/"+nic+"/statistics/rx_bytes")))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		first, second := received("eth0"), received("rail")
		code, _, said := s.run("p2p", "--bench=uniband", "--hosts=h1:2,h2:2", "-n", "4", "--map=fill", "--transport=tcp", "--sizes=64K", options)
		first, second = received("eth0")-first, received("rail")-second
		if code != 0 || (first > 1<<20 && second > 1<<20) != want {
			t.Errorf("%s: exit code %d, %d and %d bytes\n%s", options, code, first, second, said)
		}
	}
}

// Kernels are verified on two and on four hosts, with memory inside and a network between them, and
// their records have the ranks of each host and the messages that crossed hosts.
func kernelsOnHosts(t *testing.T, s *site) {
	for _, hosts := range []string{"h1:2,h2:2", "h1,h2,h3,h4"} {
		for _, what := range []string{"npb cg mg is --class=S --repeat=1", "fdtd --grid=64x64 --steps=20 --repeat=1"} {
			code, rows, said := s.run(slices.Concat(strings.Fields(what), []string{"-n", "4", "--transport=smem+tcp", "--pin=none", "--hosts=" + hosts})...)
			if code != 0 || len(rows.Points) == 0 {
				t.Errorf("%s on %s: exit code %d, %d rows\n%s", what, hosts, code, len(rows.Points), said)
			}
			for _, p := range rows.Points {
				var verified int
				json.Unmarshal(p.Extra["verified"], &verified)
				if verified < 1 || p.Options["between"] != "tcp" || p.Extra["waited_s"] == nil {
					t.Errorf("%s on %s: verified %d, options %v, %s", what, hosts, verified, p.Options, p.Extra["waited_s"])
				}
			}
		}
	}
}

// gobench tune measures algorithms of two levels on several hosts, and gobench coll uses the table.
func tuneOnHosts(t *testing.T, s *site) {
	table, measured := filepath.Join(s.hosts[0].Shared(), "table.toml"), filepath.Join(s.hosts[0].Shared(), "tune.jsonl")
	code, _, said := s.run("tune", "--hosts=h1:2,h2:2", "--transport=smem+tcp", "--op=barrier", "--launches=1", "--budget=2ms", "-o", table, "--records", measured)
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, said)
	}
	all, err := record.Load(measured, &record.Repeats{})
	if err != nil || !slices.ContainsFunc(all.Points, func(p record.Point) bool { return p.Algorithm == "two-level" }) {
		t.Errorf("measured are %d rows, none of two-level: %v", len(all.Points), err)
	}
	text := s.hosts[0].Run("cat", table)
	rule := regexp.MustCompile(`transport = "smem\+tcp"\nranks = 4\nalgorithm = "([^"]+)"\n`).FindStringSubmatch(text)
	if rule == nil {
		t.Fatalf("the table is\n%s", text)
	}
	code, rows, said := s.run("coll", "--hosts=h1:2,h2:2", "--transport=smem+tcp", "--op=barrier", "--budget=5ms", "--table="+table)
	if code != 0 || len(rows.Points) == 0 || rows.Points[0].Algorithm != rule[1] {
		t.Errorf("exit code %d, %+v; the table has %s\n%s", code, rows, rule[1], said)
	}
}

// The ranks of all hosts use the table of the host on which the command is started.
func tablesThatDiffer(t *testing.T, s *site) {
	table := "/tmp/table.toml" // of each host
	for i, algorithm := range []string{"flat", "mst"} {
		s.hosts[i].Run("sh", "-c", "printf 'version = 1\n[[rule]]\noperation = \"barrier\"\nalgorithm = \""+algorithm+"\"\n' >"+table)
	}
	for _, hosts := range []string{"h1:2,h2:2", "h2:2,h1:2"} {
		code, rows, said := s.run("coll", "--hosts="+hosts, "--transport=smem+tcp", "--op=barrier", "--budget=5ms", "--table="+table)
		if code != 0 || len(rows.Points) == 0 || rows.Points[0].Algorithm != "flat" {
			t.Errorf("hosts %s: exit code %d, %+v\n%s", hosts, code, rows, said)
		}
	}
	s.hosts[0].Run("rm", table)
	s.hosts[1].Run("rm", table)
}

// Ranks of one machine that cannot share memory are detected. Ranks in separate IPC namespaces
// count as hosts and use the network, which the record shows. Ranks in separate PID namespaces,
// whose memory smem cannot reach, end the command with the reason and the remedy, and so does a
// requested network that one host lacks.
func hostsThatShareLess(t *testing.T, s *site) {
	two := func(unshare, command string) (string, error) {
		h := s.hosts[0]
		line := s.gobench + " " + command + " --launches=1 --budget=5ms --insecure-meet --meet=127.0.0.1:7777 --json=all -o /dev/null --node="
		script := "unshare " + unshare + " " + line + "1/2 & unshare " + unshare + " " + line + "0/2; code=$?; wait; exit $code"
		out, err := h.Command("timeout", fmt.Sprint(timeout.Seconds()), "bash", "-c", script).CombinedOutput()
		return string(out), err
	}
	if out, err := two("--ipc", "coll --op=barrier --transport=smem+tcp"); err != nil || !strings.Contains(out, `"inside":"none: each rank is alone on its host"`) ||
		!strings.Contains(out, "ranks 0 and 1 run on one machine in separate IPC namespaces: they count as two hosts, and messages between them take the network") {
		t.Errorf("separate IPC namespaces, smem+tcp: %v\n%s", err, out)
	}
	for _, transport := range []string{"smem+tcp", "smem"} {
		if out, err := two("--pid --fork --mount-proc", "coll --op=barrier --transport="+transport); err == nil || !strings.Contains(out, "ranks 0 and 1 run in different containers") || !strings.Contains(out, "use --transport=tcp") {
			t.Errorf("separate PID namespaces, %s: %v\n%s", transport, err, out)
		}
	}
	// Both are process 1 of their namespace.
	if out, err := two("--pid --fork --mount-proc", "p2p --level=socket --transport=sockets --sizes=8"); err != nil || !strings.Contains(out, `"rank_kind":"process"`) {
		t.Errorf("separate PID namespaces, sockets: %v\n%s", err, out)
	}
	code, _, said := s.run("coll", "--hosts=h1:2,h2:2", "--transport=smem+tcp", "--op=barrier", "--budget=5ms", "--set=bind=10.77.0.1")
	if code != 1 || !strings.Contains(said, "10.77.0.1") || !strings.Contains(said, "rank") {
		t.Errorf("a network that h2 lacks: exit code %d\n%s", code, said)
	}
}
