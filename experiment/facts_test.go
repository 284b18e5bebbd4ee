package experiment

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"gobench/internal/human"
	"gobench/internal/launch/host"
)

// Ranks 0 and 1 share a host and its cache, 2 is on another host, with cores of the same numbers.
func TestPairsOfRanks(t *testing.T) {
	a, b := host.Core{ID: 0, Physical: 0, LLC: 0}, host.Core{ID: 1, Physical: 1, LLC: 0}
	got := pairs([]hello{{At: a}, {At: b}, {At: a}}, []int{0, 0, 1})
	if want := map[string]int{host.SharedCache: 1, host.OtherHost: 2}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Ranks that a launcher has bound to one core each share no core, although each process may use
// only one.
func TestBoundRanksAreApart(t *testing.T) {
	for _, c := range []struct {
		cores, on []int
		want      bool
	}{
		{[]int{0, 1}, []int{0, 0}, true},
		{[]int{0, 0}, []int{0, 0}, false},
		{[]int{0, 0}, []int{0, 1}, true},
		{[]int{0, -1}, []int{0, 0}, false},
		{nil, []int{0, 0}, false},
	} {
		if got := apart(c.cores, c.on); got != c.want {
			t.Errorf("cores %v on hosts %v: %v", c.cores, c.on, got)
		}
	}
}

// Hosts that are one machine place their ranks on the same cores, which no host can know.
func TestHostsOfOneMachineShareCores(t *testing.T) {
	at := func(boot string) hello { return hello{Host: &hostReport{Machine: machine{Boot: boot}}} }
	for _, c := range []struct {
		all   []hello
		on    []int
		cores []int
		want  string
	}{
		{[]hello{at("x"), at("x")}, []int{0, 1}, []int{0, 0}, "2 ranks share 1 core, because hosts are on one machine: times include waiting for a core"},
		{[]hello{at("x"), {}, at("x"), {}}, []int{0, 0, 1, 1}, []int{0, 1, 0, 1}, "4 ranks share 2 cores, because hosts are on one machine: times include waiting for a core"},
		{[]hello{at("x"), at("x")}, []int{0, 1}, []int{0, 1}, ""},
		{[]hello{at("x"), at("y")}, []int{0, 1}, []int{0, 0}, ""},
		{[]hello{at("x"), at("x")}, []int{0, 1}, []int{-1, -1}, ""},
		{[]hello{at(""), at("")}, []int{0, 1}, []int{0, 0}, ""},
		{[]hello{at("x"), {}}, []int{0, 0}, []int{0, 0}, ""}, // their host says it
	} {
		if got := sharedAcross(c.all, c.on, c.cores); got != c.want {
			t.Errorf("%v on %v: %q, want %q", c.cores, c.on, got, c.want)
		}
	}
	run, placement := (&measurement{}).run([]hello{at("x"), at("x")}, []int{0, 1}, round{}, []int{0, 0}, "ssh")
	if placement.Shared == "" || !slices.Contains(run.Warnings, placement.Shared) {
		t.Errorf("shared %q, warnings %q", placement.Shared, run.Warnings)
	}
}

// The first rank of a host may use one core and reports that all share it. The record says so only
// if they do; its other warnings stay.
func TestWarningsOfBoundRanks(t *testing.T) {
	shared := "2 ranks share 1 core"
	for _, cores := range [][]int{{0, 1}, {0, 0}} {
		r := &measurement{}
		all := []hello{{Host: &hostReport{Shared: shared, Warnings: []string{shared, "a quota"}}}, {}}
		run, placement := r.run(all, []int{0, 0}, round{}, cores, "slurm")
		alone := cores[1] != 0
		if slices.Contains(run.Warnings, shared) == alone || (placement.Shared == "") != alone || !slices.Contains(run.Warnings, "a quota") {
			t.Errorf("cores %v: warnings %q, shared %q", cores, run.Warnings, placement.Shared)
		}
	}
}

// Threads of ranks need cores, too: a host with fewer has a warning, which stays if the ranks begin
// at different cores, or have fewer cores than threads.
func TestWarningsOfThreads(t *testing.T) {
	allowed, err := host.AllowedCores()
	if err != nil {
		t.Fatal(err)
	}
	r := &measurement{Threads: len(allowed) + 1, Pin: host.Near}
	want := fmt.Sprintf("%d threads share %s: times include waiting for a core", 2*r.Threads, human.Count(len(allowed), "core", "cores"))
	if h := r.report(2, 2*r.Threads, false); h.Shared != "" || slices.Contains(h.Warnings, want) {
		t.Errorf("where a launcher gave each thread a core: %q, warnings %q", h.Shared, h.Warnings)
	}
	if h := r.report(2, 0, false); h.Shared != want || !slices.Contains(h.Warnings, want) {
		t.Errorf("%q, warnings %q, want %q", h.Shared, h.Warnings, want)
	}
	for _, c := range []struct {
		a, b   []int
		shared bool
	}{
		{[]int{0, 1, 2}, []int{3, 4, 5}, false},
		{[]int{0, 1, 2}, []int{3, 0, 1}, true},
		{[]int{0}, []int{1}, true},
	} {
		r := &measurement{Threads: 3}
		all := []hello{{Cores: c.a, Host: &hostReport{Shared: want, Warnings: []string{want}}}, {Cores: c.b}}
		if run, placement := r.run(all, []int{0, 0}, round{}, []int{c.a[0], c.b[0]}, "local"); slices.Contains(run.Warnings, want) != c.shared || (placement.Shared != "") != c.shared {
			t.Errorf("%+v: shared %q, warnings %q", c, placement.Shared, run.Warnings)
		}
	}
}

// Sizes are equal in any unit; other texts are equal only literally.
func TestSameValue(t *testing.T) {
	for values, want := range map[[2]string]bool{
		{"128KiB", "131072"}: true, {"4K", "4KiB"}: true, {"4K", "8K"}: false, {"poll", "poll"}: true, {"poll", "net"}: false, {"", "0"}: false,
	} {
		if got := SameValue(values[0], values[1]); got != want {
			t.Errorf("%q and %q: %v", values[0], values[1], got)
		}
	}
}
