package report

import (
	"slices"
	"testing"

	"gobench/internal/report/host"
	"gobench/record"
)

// Hosts are named with their ranks, and equal machines are described once.
func TestHostsOfATable(t *testing.T) {
	r := record.Run{Job: record.Job{Ranks: 5, Hosts: []int{0, 0, 1, 1, 2}, Cores: []int{0, 1, 0, -1, 3}, Launcher: "ssh", Scheduler: "slurm", ID: "17"}}
	for _, f := range [][2]string{{"h1", "6.1"}, {"h2", "6.1"}, {"h3", "5.14"}} {
		r.Hosts = append(r.Hosts, map[string]any{"hostname": f[0], "kernel": f[1]})
	}
	hosts := host.Of(&r)
	if got, want := hostsLine(hosts, r.Job), "3 hosts: h1 (ranks 0-1), h2 (ranks 2-3), h3 (rank 4); job 17 of slurm"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := machineLines(hosts), []string{"h[1-2]: kernel 6.1", "h3, kernel 5.14"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := ranksLine(hosts, r.Job), "5, launcher ssh: rank 0 on core 0 of h1, rank 1 on core 1 of h1, rank 2 on core 0 of h2, rank 4 on core 3 of h3"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Spans describe ranks of a host that are placed in blocks, round robin, and irregularly.
func TestSpans(t *testing.T) {
	inTurns := make([]int, 128)
	for i := range inTurns {
		inTurns[i] = 8*i + 3
	}
	for _, c := range []struct {
		numbers []int
		want    string
	}{
		{nil, ""},
		{[]int{5}, "5"},
		{[]int{0, 1, 2, 3, 8}, "0-3,8"},
		{[]int{0, 2}, "0,2"},
		{[]int{0, 2, 4}, "0,2,4"},
		{[]int{0, 2, 4, 6, 7, 8}, "0-6:2,7-8"},
		{[]int{1, 4, 5, 6, 20}, "1,4-6,20"},
		{inTurns, "3-1019:8"},
	} {
		if got := spans(c.numbers); got != c.want {
			t.Errorf("%v: %q, want %q", c.numbers, got, c.want)
		}
	}
}
