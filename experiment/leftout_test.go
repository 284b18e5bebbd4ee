package experiment

import (
	"strings"
	"testing"
	"time"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/micro"
)

// A cell that a launch leaves out is named once, and the next launches leave it out over the same
// transport and level.
func TestLeftOutCells(t *testing.T) {
	driver, err := device.Lookup("sled")
	if err != nil {
		t.Fatal(err)
	}
	over := Transport{Driver: driver, Level: device.LevelDevice}
	cells := []bench.Case{{Bench: micro.PingPong(), Size: 8}, {Bench: micro.PingPong(), Size: 1 << 20}}
	left := bench.LeftOut{Transport: driver.Name(), Level: over.Level, Bench: "pingpong", Size: 1 << 20, Event: 8400 * time.Millisecond}
	var told strings.Builder
	c := &campaign{stderr: &told, requests: []*measurement{{}}}
	r := &receiver{to: c}
	for range 2 {
		if err := newSender(r, false).Event(bench.Event{LeftOut: &left}); err != nil {
			t.Fatal(err)
		}
	}
	if want := "gobench: 1 MiB of pingpong over sled is left out: one event would take about 8.4s; sizes=1048576 measures it\n"; told.String() != want {
		t.Errorf("told %q, want %q", told.String(), want)
	}
	n := round{Left: c.leftOut}
	if kept := n.without(over, cells); len(kept) != 1 || kept[0].Size != 8 {
		t.Errorf("the next launch measures %v", kept)
	}
	over.Level = device.LevelRaw
	if kept := n.without(over, cells); len(kept) != 2 {
		t.Errorf("at another level it measures %v", kept)
	}
}

// Sizes that the user has asked for are measured however long they take.
func TestOnlyUsualSizesAreLeftOut(t *testing.T) {
	for _, c := range []struct {
		change func(*P2P)
		want   time.Duration
	}{
		{func(*P2P) {}, longestEvent},
		{func(p *P2P) { p.Sizes = "4M" }, 0},
		{func(p *P2P) { p.Iterations = 10 }, 0},
		{func(p *P2P) { p.Budget = time.Second }, 0},
	} {
		p := NewP2P()
		p.Transports = "sled"
		c.change(p)
		r, err := check(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Plan.Stop.Longest; got != c.want {
			t.Errorf("--sizes=%s, %d iterations, budget %v: events of up to %v, want %v", p.Sizes, p.Iterations, p.Budget, got, c.want)
		}
	}
}
