package host

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestPlan(t *testing.T) {
	const (
		smt  = "(SMT)"
		flat = "far only means other cores"
	)
	all := func(n int) []int {
		var list []int
		for i := range n {
			list = append(list, i)
		}
		return list
	}
	for _, test := range []struct {
		machine string
		allowed []int
		n       int
		policy  string
		want    []int
		warning string // "" for none
	}{
		{"flat-vm", all(4), 2, Near, []int{0, 1}, ""},
		{"flat-vm", all(4), 1, Far, []int{0}, flat},
		{"flat-vm", all(4), 2, Far, []int{0, 3}, flat},
		{"flat-vm", all(4), 3, Far, []int{0, 1, 3}, flat},
		{"flat-vm", all(4), 4, Far, []int{0, 1, 2, 3}, flat},
		{"flat-vm", all(4), 6, Near, []int{0, 1, 2, 3, 0, 1}, "6 ranks share 4 cores"},
		{"flat-vm", all(4), 6, None, nil, "6 ranks share 4 cores"},
		{"flat-vm", all(4), 4, None, nil, ""},
		{"flat-vm", all(4), 2, "2,3", []int{2, 3}, ""},
		{"flat-vm", all(4), 2, "3,2,1", []int{3, 2}, ""},
		{"flat-vm", all(4), 3, "1-2", []int{1, 2, 1}, "3 ranks share 2 cores"},
		{"flat-vm", all(4), 2, "1,1", []int{1, 1}, "2 ranks share 1 core"},
		{"flat-vm", []int{2, 3}, 2, Near, []int{2, 3}, ""},

		// Four physical cores: both of a package, then the other package, and
		// only then second threads.
		{"two-sockets", all(8), 2, Near, []int{0, 1}, ""},
		{"two-sockets", all(8), 4, Near, []int{0, 1, 2, 3}, ""},
		{"two-sockets", all(8), 6, Near, []int{0, 1, 2, 3, 4, 5}, smt},
		{"two-sockets", all(8), 2, Far, []int{0, 2}, ""},
		{"two-sockets", all(8), 4, Far, []int{0, 2, 1, 3}, ""},
		{"two-sockets", all(8), 6, Far, []int{0, 2, 1, 3, 4, 6}, smt},
		{"two-sockets", all(8), 2, "0,4", []int{0, 4}, smt},
		{"two-sockets", []int{1, 2, 3, 5}, 2, Near, []int{2, 3}, ""}, // not 1 and 2: another package
		{"two-sockets", []int{0, 1, 4, 5}, 2, Far, []int{0, 1}, flat},
		{"two-sockets", []int{0, 4}, 2, Near, []int{0, 4}, smt},

		{"two-caches", all(6), 2, Far, []int{0, 3}, ""},
		{"two-caches", []int{2, 3, 4}, 2, Near, []int{3, 4}, ""},
		{"two-caches", all(6), 4, Near, []int{0, 1, 2, 3}, ""},

		{"four-nodes", all(4), 4, Far, []int{0, 2, 1, 3}, ""},

		{"empty", all(3), 2, Near, []int{0, 1}, ""},
		{"empty", all(3), 2, Far, []int{0, 2}, flat},
	} {
		p, err := readTopology(machine(t, test.machine)).Plan(test.n, test.policy, test.allowed)
		if err != nil || !slices.Equal(p.Cores, test.want) {
			t.Errorf("%s: %d ranks %s on %v: %v, %v, want %v", test.machine, test.n, test.policy, test.allowed, p.Cores, err, test.want)
		}
		warnings := strings.Join(p.Warnings, "; ")
		if warnings == "" != (test.warning == "") || !strings.Contains(warnings, test.warning) {
			t.Errorf("%s: %d ranks %s on %v: warnings %q, want %q", test.machine, test.n, test.policy, test.allowed, warnings, test.warning)
		}
	}
}

// Ranks are on the NUMA node of the fastest NIC, or in turn on the nodes of all of them, as far as
// these have cores. This was never tried on a host with several nodes.
func TestPlanNearNICs(t *testing.T) {
	number := func(n int64) *int64 { return &n }
	nics := []NIC{{Node: number(0), Rate: number(1e9)}, {Node: number(1), Rate: number(1e11)}, {Node: number(0), Rate: number(1e11)}, {Rate: number(1e12)}}
	top := Topology{NICs: NICNodes(nics)}
	for id := range 8 {
		top.Cores = append(top.Cores, Core{ID: id, Physical: id, LLC: id / 4 * 4, Package: id / 4, Node: id / 4})
	}
	for _, c := range []struct {
		nics   []int
		n      int
		policy string
		want   []int
	}{
		{top.NICs, 2, NearNIC, []int{4, 5}},
		{top.NICs, 4, Rails, []int{4, 0, 5, 1}},
		{top.NICs, 3, Rails, []int{4, 0, 5}},
		{[]int{1, 1}, 4, Rails, []int{4, 6, 5, 7}},   // two NICs of a node share its cores
		{top.NICs, 5, NearNIC, []int{0, 1, 2, 3, 4}}, // with a warning
		{nil, 2, NearNIC, []int{0, 1}},
	} {
		top.NICs = c.nics
		p, err := top.Plan(c.n, c.policy, []int{0, 1, 2, 3, 4, 5, 6, 7})
		if err != nil || !slices.Equal(p.Cores, c.want) || len(p.Warnings) > 0 != (c.n == 5) {
			t.Errorf("%d ranks %s on %v: %v, %q, %v", c.n, c.policy, c.nics, p.Cores, p.Warnings, err)
		}
	}
}

func TestPlanErrors(t *testing.T) {
	top := readTopology(machine(t, "flat-vm"))
	_, err := top.Plan(2, "1,9", []int{0, 1, 2, 3})
	var core *CoreError
	if !errors.As(err, &core) || core.Core != 9 || err.Error() != "core 9 cannot be used by this process; allowed here: 0-3" {
		t.Errorf("core 9: %v", err)
	}
	for _, policy := range []string{"", "nearby", "1,", "3-1", "-1", "0x2"} {
		var wrong *PolicyError
		if _, err := top.Plan(2, policy, []int{0, 1, 2, 3}); !errors.As(err, &wrong) {
			t.Errorf("policy %q: %v", policy, err)
		}
	}
}

// What Plan says of this machine can be pinned to.
func TestChosenCoresCanBePinned(t *testing.T) {
	for _, policy := range []string{Near, Far} {
		cores, err := ChooseCores(5, policy)
		if err != nil || len(cores) != 5 {
			t.Fatalf("%s: %v, %v", policy, cores, err)
		}
		for _, core := range cores {
			pinned(t, core, func() {})
		}
	}
}

func TestUsualRanksDoNotShareCores(t *testing.T) {
	for cores, want := range []int{1, 1, 2, 2, 4, 4, 4} {
		if got := usualRanks(cores); got != want {
			t.Errorf("%d ranks on %d cores, want %d", got, cores, want)
		}
	}
}
