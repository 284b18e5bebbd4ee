package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gobench/record"
)

// TestInterfaces measures between two hosts that are joined by two networks, on which their
// interfaces have different names. Both have a bridge for containers with the same address.
func TestInterfaces(t *testing.T) {
	t.Parallel()
	s := newSite(t, 2)
	hosts, gobench := s.hosts, s.gobench
	for _, h := range hosts {
		h.Run("ip", "link", "add", "docker0", "type", "bridge")
		h.Run("ip", "addr", "add", "172.17.0.1/16", "dev", "docker0")
		h.Run("ip", "link", "set", "docker0", "up")
	}
	hosts[0].Join("fast0", "10.88.0.1/24", hosts[1], "ens9", "10.88.0.2/24")
	hosts[0].Run("ip", "link", "set", "fast0", "mtu", "9000")
	hosts[1].Run("ip", "link", "set", "ens9", "mtu", "9000")
	const congestion = "/proc/sys/net/ipv4/tcp_congestion_control"
	hosts[1].Run("sh", "-c", "echo reno >"+congestion)
	differ := ""
	if c := strings.TrimSpace(hosts[0].Run("cat", congestion)); c != "reno" {
		differ = "the hosts differ in congestion control (" + c + " on h1; reno on h2)"
	}

	for i, test := range []struct {
		bind, route string
		mtu         int
	}{
		{"", "eth0 (10.77.0.1) to eth0 (10.77.0.2) of rank 2: same subnet, 10 Gbit/s; docker0 left out", 1500},
		{"10.88.0.0/16", "fast0 (10.88.0.1) to ens9 (10.88.0.2) of rank 2: same subnet, 10 Gbit/s; bind 10.88.0.0/16", 9000},
		{"^docker,eth", "fast0 (10.88.0.1) to ens9 (10.88.0.2) of rank 2: same subnet, 10 Gbit/s; bind ^docker,eth", 9000},
		{"fast,=ens9", "fast0 (10.88.0.1) to ens9 (10.88.0.2) of rank 2: same subnet", 9000},
	} {
		file := filepath.Join(hosts[0].Shared(), "tcp"+string(rune('0'+i))+".jsonl")
		args := []string{"p2p", "--hosts=h1:2,h2", "-n", "3", "--map=fill", "--pin=none", "--bench=sendrecv", "--transport=tcp", "--sizes=8", "--launches=1", "--full", "-o", file}
		if test.bind != "" {
			args = append(args, "--set", "bind="+test.bind)
		}
		b, err := hosts[0].Command("timeout", append([]string{"60", gobench}, args...)...).CombinedOutput()
		out := strings.ReplaceAll(string(b), "\n#   ", " ")
		if err != nil {
			t.Errorf("bind %q: %v\n%s", test.bind, err, out)
			continue
		}
		for _, want := range []string{"# hosts 2 hosts: h1 (ranks 0-1), h2 (rank 2)", "launcher ssh", "# network: " + test.route, differ} {
			if !strings.Contains(strings.ReplaceAll(out, "\n#       ", " "), want) {
				t.Errorf("bind %q: %q is not in\n%s", test.bind, want, out)
			}
		}
		if jumbo := strings.Contains(out, "MTU 9000"); jumbo != (test.mtu == 9000) {
			t.Errorf("bind %q: MTU in\n%s", test.bind, out)
		}
		records, err := record.Load(file, &record.Repeats{})
		if err != nil || len(records.Runs) != 1 || len(records.Points) == 0 {
			t.Fatalf("recorded are %+v, %v", records, err)
		}
		if p := records.Points[0]; p.MTU != test.mtu || !strings.HasPrefix(p.Route, test.route) {
			t.Errorf("bind %q: MTU %d, route %q", test.bind, p.MTU, p.Route)
		}
		run := records.Runs[0]
		if len(run.Hosts) != 2 || !slices.Equal(run.Job.Hosts, []int{0, 0, 1}) ||
			run.Job.Pairs["other host"] != 2 || run.Job.Pairs["same host"] != 1 {
			t.Errorf("hosts %v, job %+v", run.Hosts, run.Job)
		}
		for i, name := range []string{"h1", "h2"} {
			if facts, ok := run.Hosts[i].(map[string]any); !ok || facts["hostname"] != name || facts["nics"] == nil {
				t.Errorf("facts of %s: %v", name, run.Hosts[i])
			}
		}
	}
	// Streams: two ranks share a host, the third is on the other.
	out, err := hosts[0].Command("timeout", "60", gobench, "p2p", "--hosts=h1:2,h2", "-n", "3", "--map=fill", "--pin=none", "--bench=sendrecv",
		"--transport=sockets", "--level=socket", "--sizes=8,1M", "--launches=1", "-o", filepath.Join(hosts[0].Shared(), "sockets.jsonl")).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "level socket") || strings.Contains(string(out), "share no memory") {
		t.Errorf("sockets: %v\n%s", err, out)
	}
	// An interface that only one host has.
	out, err = hosts[0].Command("timeout", "60", gobench, "p2p", "--hosts=h1,h2", "--transport=tcp", "--sizes=8", "--launches=1", "--set", "bind=fast0",
		"-o", filepath.Join(hosts[0].Shared(), "none.jsonl")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "eth0, docker0, ens9") {
		t.Errorf("bind=fast0: %v\n%s", err, out)
	}
}

// The table of thresholds is a file on h1 only, and the ranks of all hosts use it.
func TestTableReachesOtherHosts(t *testing.T) {
	t.Parallel()
	s := newSite(t, 2)
	s.hosts[0].Run("sh", "-c", "printf 'version = 1\n[[rule]]\noperation = \"bcast\"\nalgorithm = \"mst\"\n' >/tmp/own.toml")
	records := filepath.Join(s.hosts[0].Shared(), "table.jsonl")
	out, err := s.hosts[0].Command(s.gobench, "coll", "--hosts=h1,h2", "--copy=never", "--op=bcast", "--sizes=8", "--launches=1", "--table=/tmp/own.toml",
		"-o", records).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	all, err := record.Load(records, &record.Repeats{})
	if err != nil || len(all.Points) == 0 {
		t.Fatalf("%v, %d points", err, len(all.Points))
	}
	// The row is split if the cores changed their state.
	for _, p := range all.Points {
		if p.Algorithm != "mst" {
			t.Errorf("recorded is algorithm %q:\n%s", p.Algorithm, out)
		}
	}
}
