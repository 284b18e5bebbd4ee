package pairs

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
)

func TestCompareFacts(t *testing.T) {
	host := func(name, kernel, mtu string, copied float64) Facts {
		return Facts{Host: name, Words: map[string]string{"kernel": kernel, FactMTU: mtu}, Numbers: map[string]float64{NumberCopy: copied, NumberTime: 0.001}}
	}
	list := []Facts{host("h1", "6.1", "1500", 1e10), host("h2", "6.1", "1500", 1.1e10), host("h3", "5.14", "9000", 4e9), host("h4", "6.1", "1500", 0.95e10), host("h5", "6.1", "1500", 1e10)}
	list[4].Numbers[NumberTime] = -3
	for i := range list {
		list[i].Numbers[NumberHeld] = []float64{0, 0, 0.05, 0.9, 0}[i]
	}
	got := map[Kind]Remark{}
	for _, n := range CompareFacts(list) {
		got[n.Kind] = n
	}
	for kind, want := range map[Kind]string{
		"":       "kernel: 5.14, and 6.1 on 4 of 5 hosts",
		WrongMTU: "MTU: 9000, and 1500 on 4 of 5 hosts",
		Memory:   "memory copy: 4 GB/s, and 10 GB/s is usual",
		Clock:    "clock: -3 s, and +0.001 s is usual",
		Quota:    "share of the time in which a quota stops a program: 90 %, and 0 % is usual",
	} {
		if n := got[kind]; n.Text != want || n.Host != map[Kind]string{"": "h3", WrongMTU: "h3", Memory: "h3", Clock: "h5", Quota: "h4"}[kind] {
			t.Errorf("%q: %+v, want %s", kind, n, want)
		}
	}
	if len(got) != 5 {
		t.Errorf("notes %+v", got)
	}
	if remarks := CompareFacts(list[1:3]); remarks != nil {
		t.Errorf("two hosts: %+v", remarks)
	}
	// Without a majority nobody is wrong.
	if remarks := CompareFacts([]Facts{host("h1", "1", "1", 1), host("h2", "2", "2", 1), host("h3", "3", "3", 1)}); remarks != nil {
		t.Errorf("three different hosts: %+v", remarks)
	}
}

// A host with more NICs than most has no fault, one with fewer lacks a NIC, and one with another
// MTU on one of them has that.
func TestCompareNICs(t *testing.T) {
	var list []Facts
	for i, nics := range []struct{ drivers, mtus string }{{"a + b", "1500 + 9000"}, {"a + b", "1500 + 9000"}, {"a + b", "1500 + 9000"},
		{"a + b", "1500 + 9000"}, {"a + b", "1500 + 9000"}, {"a + b + c", "1500 + 1500 + 9000"}, {"a", "1500"}, {"a + b", "1500 + 4000"}, {"a + b", ""}} {
		list = append(list, Facts{Host: fmt.Sprint("h", i+1), Words: map[string]string{FactNIC: nics.drivers, FactMTU: nics.mtus}})
	}
	got := map[string][]Kind{}
	for _, r := range CompareFacts(list) {
		got[r.Host] = append(got[r.Host], r.Kind)
	}
	want := map[string][]Kind{"h6": {"", ""}, "h7": {"", NoNIC}, "h8": {WrongMTU}, "h9": {""}}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestCompareReach(t *testing.T) {
	names := []string{"h1", "h2", "h3", "h4", "h5", "h6"}
	var list []Reach
	for _, from := range names {
		for _, to := range names {
			if from == to {
				continue
			}
			r := Reach{From: from, To: to, Long: true}
			switch {
			case to == "h2" || from == "h6":
				r.Failed = "refused"
			case to == "h3":
				r.Long = false
			case from == "h1" && to == "h4":
				r.Failed = "no route"
			}
			list = append(list, r)
		}
	}
	found := CompareReach(list)
	if len(found) != 4 {
		t.Fatalf("found %+v", found)
	}
	for i, want := range []struct {
		scope Scope
		host  string
		kind  Kind
	}{{OfHost, "h2", NoConnection}, {OfHost, "h3", LongLost}, {OfHost, "h6", NoConnection}, {OfPair, "h1", NoConnection}} {
		if f := found[i]; f.Scope != want.scope || f.Hosts[0] != want.host || f.Kind != want.kind {
			t.Errorf("%d: %+v, want %+v", i, f, want)
		}
	}
}

func TestCompareBaseline(t *testing.T) {
	run := func(seed uint64, plant func(*world)) *Study {
		w := newWorld(16, seed)
		plant(w)
		return w.studied(Options{Seed: 1, Rounds: 15})
	}
	before := run(1, func(*world) {}).Samples()
	if changes := run(2, func(*world) {}).CompareBaseline(before); len(changes) != 0 {
		t.Errorf("without a change: %v", changes)
	}
	busy := run(4, func(w *world) {
		w.wait = func() float64 { return math.Exp(math.Abs(1.5 * w.rng.NormFloat64())) }
	})
	if busy.Contend(); len(busy.CompareBaseline(before)) != 0 {
		t.Errorf("while other programs have the cores: %v", busy.CompareBaseline(before))
	}
	changes := run(3, func(w *world) {
		for i := range w.delay {
			w.delay[i] = 1.2 // of each host, so 1.44 of each pair
		}
		w.send[5] = 2
	}).CompareBaseline(before)
	whole, host := false, false
	for _, c := range changes {
		switch {
		case c.Host == "" && c.Factor.Of == "half round trip":
			whole = math.Abs(c.Factor.Median-1.44) < 0.1
		case c.Host == "h6":
			host = true
		default:
			t.Errorf("also found: %v", c)
		}
	}
	if !whole || !host {
		t.Errorf("found %v", changes)
	}
}
