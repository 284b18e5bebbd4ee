package report

import (
	"slices"
	"testing"

	"gobench/bench/record"
	"gobench/report/host"
)

// TestHostsOfATable names hosts with their ranks, and describes alike machines once.
func TestHostsOfATable(t *testing.T) {
	r := record.Run{Job: record.Job{Ranks: 5, Hosts: []int{0, 0, 1, 1, 2}, Cores: []int{0, 1, 0, -1, 3}, Launcher: "ssh", Scheduler: "slurm", ID: "17"}}
	for _, f := range [][2]string{{"h1", "6.1"}, {"h2", "6.1"}, {"h3", "5.14"}} {
		r.Hosts = append(r.Hosts, map[string]any{"hostname": f[0], "kernel": f[1]})
	}
	hosts := host.Of(&r)
	if got, want := hostsLine(hosts, r.Job), "3 hosts: h1 (ranks 0-1), h2 (ranks 2-3), h3 (rank 4); job 17 of slurm"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := machineLines(hosts), []string{"h1, h2: kernel 6.1", "h3, kernel 5.14"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := ranksLine(hosts, r.Job), "5, launcher ssh: rank 0 on core 0 of h1, rank 1 on core 1 of h1, rank 2 on core 0 of h2, rank 4 on core 3 of h3"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
