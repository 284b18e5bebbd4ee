package normal

import (
	"fmt"
	"math"
	"testing"

	"gobench/internal/report/host"
	"gobench/record"
)

func TestEveryRangeHasASource(t *testing.T) {
	if len(Ranges()) == 0 {
		t.Fatal("no ranges")
	}
	seen := map[[2]string]bool{}
	used := map[string]bool{}
	for _, r := range Ranges() {
		if _, ok := record.Lookup(r.Metric); !ok || r.Lo <= 0 || r.Hi <= r.Lo || len(r.Sources) == 0 || seen[[2]string{r.Class, r.Metric}] {
			t.Errorf("%+v", r)
		}
		seen[[2]string{r.Class, r.Metric}] = true
		for _, name := range r.Sources {
			if used[name] = true; Source(name) == "" {
				t.Errorf("%s names the source %s, which is not described", r.Class, name)
			}
		}
	}
	for _, name := range SourceNames() {
		if !used[name] {
			t.Errorf("no range is of the source %s", name)
		}
	}
}

// run returns a run on the hosts of two ranks with a network card.
func run(hosts []int, nic map[string]any, more map[string]any) *record.Run {
	facts := map[string]any{"hostname": "n1", "nics": []any{nic}}
	for key, value := range more {
		facts[key] = value
	}
	return &record.Run{Hosts: []any{facts, facts}, Job: record.Job{Ranks: 2, Hosts: hosts, Pairs: map[string]int{"shared cache": 1}}}
}

func TestClasses(t *testing.T) {
	one, two := []int{0, 0}, []int{0, 1}
	ethernet := func(rate float64) map[string]any {
		return map[string]any{"name": "eth0", "rate_bit_per_s": rate, "mtu_B": 9000}
	}
	for _, c := range []struct {
		point record.Point
		run   *record.Run
		want  string
	}{
		{record.Point{Transport: "smem", State: "near"}, run(one, nil, nil), "near cores"},
		{record.Point{Transport: "smem", State: "far slow"}, run(one, nil, nil), "cores of one socket"},
		{record.Point{Transport: "smem"}, run(one, nil, nil), "near cores"},
		{record.Point{Transport: "smem", State: "changing"}, run(one, nil, nil), ""},
		{record.Point{Transport: "tcp"}, run(one, nil, nil), "loopback"},
		{record.Point{Transport: "sockets", Path: "stream"}, run(one, nil, nil), "loopback"},
		{record.Point{Transport: "sockets", Path: "ring"}, run(one, nil, nil), ""},
		{record.Point{Transport: "tcp", Route: "eth0 (10.0.0.1) to eth0"}, run(two, ethernet(10e9), nil), "TCP over 10 Gbit/s"},
		{record.Point{Transport: "tcp", Route: "eth0 (10.0.0.1) to eth0"}, run(two, ethernet(10e9), map[string]any{"hypervisor": "kvm"}), "TCP over 10 Gbit/s in virtual machines"},
		{record.Point{Transport: "tcp", Route: "eth7 (10.0.0.1) to eth0"}, run(two, ethernet(10e9), nil), ""},
		{record.Point{Transport: "ibv"}, run(two, map[string]any{"name": "mlx5_0/1"}, nil), "network cards in user space"},
		{record.Point{Transport: "ibv"}, run(two, ethernet(10e9), nil), ""},
		{record.Point{Transport: "smem"}, nil, ""},
	} {
		if got := Class(&c.point, c.run); got != c.want {
			t.Errorf("%s, state %q: class %q, want %q", c.point.Transport, c.point.State, got, c.want)
		}
	}
}

// Bandwidths that sources report of a link are at most what it carries.
func TestRangesAreBelowTheBound(t *testing.T) {
	for _, r := range Ranges() {
		var protocol string
		var rate float64
		if n, _ := fmt.Sscanf(r.Class, "%s over %g Gbit/s", &protocol, &rate); n == 2 && r.Metric == "bandwidth_Bps" {
			name := map[bool]string{true: "mlx5_0/1", false: "eth0"}[protocol == "RDMA"]
			b, ok := link{NIC: host.NIC{Name: name, Rate: int64(rate * 1e9), MTU: 9000}}.bound()
			if !ok || r.Hi > b.Value {
				t.Errorf("%s: %g of at most %g", r.Class, r.Hi, b.Value)
			}
		}
	}
}

func TestUsualIsForWhatTheSourcesMeasured(t *testing.T) {
	r := run([]int{0, 0}, nil, nil)
	p := record.Point{Bench: "pingpong", Transport: "tcp", Size: 8}
	if u, ok := Usual(&p, r, "half_rtt_s"); !ok || u.Class != "loopback" {
		t.Errorf("%+v, %t", u, ok)
	}
	p.Size = 4096
	if u, ok := Usual(&p, r, "half_rtt_s"); ok {
		t.Errorf("a large message is compared with %+v", u)
	}
	card := run([]int{0, 1}, map[string]any{"name": "mlx5_0/1", "rate_bit_per_s": 200e9}, nil)
	verbs := record.Point{Bench: "pingpong", Transport: "ibv", Size: 1 << 20, Route: "mlx5_0 to mlx5_0"}
	if u, ok := Usual(&verbs, card, "bandwidth_Bps"); !ok || u.Class != "RDMA over 200 Gbit/s" {
		t.Errorf("%+v, %t", u, ok)
	}
	p.Size, p.Bench = 8, "exchange"
	if u, ok := Usual(&p, r, "half_rtt_s"); ok {
		t.Errorf("another benchmark is compared with %+v", u)
	}
}

func TestBounds(t *testing.T) {
	two := []int{0, 1}
	p := record.Point{Bench: "pingpong", Transport: "tcp", Route: "eth0 (10.0.0.1) to eth0 of rank 1", Size: 1 << 20, Amount: 1 << 20}
	for _, c := range []struct {
		nic  map[string]any
		want float64
	}{
		{map[string]any{"name": "eth0", "rate_bit_per_s": 100e9, "mtu_B": 1500}, 100e9 / 8 * 1448 / 1538},
		{map[string]any{"name": "eth0", "rate_bit_per_s": 100e9, "mtu_B": 9000}, 100e9 / 8 * 8948 / 9038},
		// Eight of sixteen lanes of the fourth generation carry less than 200 Gbit/s.
		{map[string]any{"name": "eth0", "rate_bit_per_s": 200e9, "mtu_B": 9000, "pcie": map[string]any{"lanes": 8, "rate_GTps": 16.0, "most_lanes": 16}}, 8 * 16e9 / 8 * 128 / 130},
		{map[string]any{"name": "eth0", "rate_bit_per_s": 10e9, "mtu_B": 1500, "pcie": map[string]any{"lanes": 4, "rate_GTps": 5.0}}, 10e9 / 8 * 1448 / 1538},
		{map[string]any{"name": "eth0/1", "rate_bit_per_s": 100e9}, 100e9 / 8 * 4096 / 4126},
	} {
		b, ok := Of(&p, run(two, c.nic, nil), "bandwidth_Bps")
		if !ok || math.Abs(b.Value-c.want) > 1 || b.Reason == "" {
			t.Errorf("%v: %+v, want %g", c.nic, b, c.want)
		}
		if got := b.Share(c.want / 2); math.Abs(got-0.5) > 1e-9 {
			t.Errorf("half of the bound is %g of it", got)
		}
	}
	for _, c := range []struct { // the last two are of both directions or of two pairs
		window, threads, messages int
		want                      bool
	}{{0, 0, 1, true}, {64, 0, 64, true}, {64, 4, 256, true}, {0, 0, 2, false}, {64, 0, 128, false}} {
		p.Window, p.Threads, p.Amount = c.window, c.threads, int64(c.messages)*p.Size
		if b, ok := Of(&p, run(two, map[string]any{"name": "eth0", "rate_bit_per_s": 100e9}, nil), "bandwidth_Bps"); ok != c.want {
			t.Errorf("%d messages of windows of %d: %+v, %v", c.messages, c.window, b, ok)
		}
	}
	line := record.Point{Bench: "pingpong", Transport: "smem", StateDistance: 30e-9}
	if b, ok := Of(&line, run([]int{0, 0}, nil, nil), "half_rtt_s"); !ok || b.Value != 30e-9 {
		t.Errorf("%+v", b)
	}
	if b, ok := Of(&p, run(two, map[string]any{"name": "eth9"}, nil), "bandwidth_Bps"); ok {
		t.Errorf("an unknown card has the bound %+v", b)
	}
}
