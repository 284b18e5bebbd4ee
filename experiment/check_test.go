package experiment

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gobench/bench"
	"gobench/comm/schedule"
	"gobench/device"
	"gobench/internal/micro"
)

// toy is a driver that cannot be opened.
type toy struct {
	name    string
	options []device.Option
}

func (t toy) Name() string             { return t.name }
func (t toy) About() string            { return "a toy" }
func (t toy) Probe() error             { return nil }
func (t toy) Options() []device.Option { return t.options }
func (t toy) Open(context.Context, device.Job, device.Options) (device.Device, error) {
	panic("a toy is never opened")
}

// rawToy has the level raw as well, and cannot be used with engine=net.
type rawToy struct{ toy }

func (rawToy) ProbeWith(opts device.Options) error {
	if opts.Word("engine") == "net" {
		return &device.UnavailableError{Transport: "wheel", Reason: "there is no net"}
	}
	return nil
}

func (rawToy) OpenRaw(context.Context, device.Job, device.Options) (device.Channel, error) {
	panic("a toy is never opened")
}

func init() {
	eager := device.Option{Name: "eager_limit", Kind: device.Bytes, Default: "8K"}
	device.Register(rawToy{toy{"wheel", []device.Option{eager, {Name: "engine", Kind: device.Word, Default: "poll", Values: []string{"poll", "net"}}}}})
	device.Register(toy{"sled", []device.Option{eager}})
}

func ask(change func(*P2P)) *P2P {
	a := NewP2P()
	a.Transports, a.Sizes = "wheel", "8"
	change(a)
	return a
}

func TestCheckRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*P2P)
		want   string
	}{
		{"transport", func(a *P2P) { a.Transports = "weel" }, `unknown transport "weel": did you mean "wheel"? available here: sled, smem, wheel`},
		{"transport list", func(a *P2P) { a.Transports = "sled,,wheel" }, `unknown transport ""; available here: sled, smem, wheel`},
		{"benchmark", func(a *P2P) { a.Benchmarks = "pingpog" }, `unknown benchmark "pingpog": did you mean "pingpong"?`},
		{"level", func(a *P2P) { a.Level = "com" }, `unknown level "com": did you mean "comm"? known: comm, device, raw, socket`},
		{"level of transport", func(a *P2P) { a.Transports = "sled"; a.Level = "raw" }, "transport sled has no level raw: use level=device"},
		{"size", func(a *P2P) { a.Sizes = "4KB" }, "write 4KiB"},
		{"ranks", func(a *P2P) { a.Ranks = 1 }, "needs at least 2 ranks"},
		{"no ranks", func(a *P2P) { a.Ranks = 0 }, "needs at least 2 ranks"},
		{"negative ranks", func(a *P2P) { a.Ranks = -4 }, "needs at least 2 ranks"},
		{"odd ranks", func(a *P2P) { a.Ranks = 3 }, "even number of ranks"},
		{"kind of ranks", func(a *P2P) { a.RankKind = "gorutine" }, `unknown kind of ranks "gorutine": did you mean "goroutine"?`},
		{"memory", func(a *P2P) { a.Memory = "stack" }, `unknown memory "stack"; known: heap, device`},
		{"memory at level raw", func(a *P2P) { a.Memory = "device"; a.Level = "raw" }, "needs level device"},
		{"window", func(a *P2P) { a.Window = 0 }, "window is 0"},
		{"epoch", func(a *P2P) { a.Epoch = "fence,lok" }, `unknown epoch "lok"`},
		{"wide window", func(a *P2P) { a.Window = 1 << 20 }, "window is 1048576, want 1 to 65536"},
		{"fork bomb", func(a *P2P) { a.Ranks = 100_000 }, "at most 1024 ranks"},
		{"budget", func(a *P2P) { a.Budget = -time.Second }, "budget is -1s"},
		{"precision", func(a *P2P) { a.Precision = "exact" }, `precision is "exact"`},
		{"precision of nothing", func(a *P2P) { a.Precision = "0%" }, `precision is "0%"`},
		{"option", func(a *P2P) { a.Options = []string{"eager_limt=8K"} }, `unknown option "eager_limt": did you mean "eager_limit"? options of wheel: eager_limit, engine`},
		{"value", func(a *P2P) { a.Options = []string{"engine=pool"} }, `option engine is "pool": did you mean "poll"? want one of poll, net`},
		{"value of bytes", func(a *P2P) { a.Options = []string{"eager_limit=much"} }, `option eager_limit is "much", want a size`},
		{"no value", func(a *P2P) { a.Options = []string{"engine"} }, "want NAME=VALUE"},
		{"two values", func(a *P2P) { a.Options = []string{"engine=net", "engine=poll"} }, "two values, net and poll"},
		{"file", func(a *P2P) { a.File = "-" }, "use json"},
		{"fault", func(a *P2P) { a.Fault = "corupt" }, `unknown fault "corupt": did you mean "corrupt"?`},
		{"amount of fault", func(a *P2P) { a.Fault = "corrupt:never" }, "such as corrupt:100"},
		{"time of fault", func(a *P2P) { a.Fault = "delay:10" }, "such as delay:10us"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := check(ask(c.change))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestCheckAccepts(t *testing.T) {
	r, err := check(ask(func(a *P2P) {
		a.Transports, a.Benchmarks, a.Sizes = "wheel, sled,wheel", "PingPong,lat,pingping", "8,0:2"
		a.Options = []string{"engine=net", "eager_limit=4KiB"}
		a.Precision = "1 %"
	}))
	if err != nil {
		t.Fatal(err)
	}
	var cells []string
	for _, c := range r.Plan.Cases {
		cells = append(cells, c.Bench.Name)
	}
	if diff := cmp.Diff(strings.Fields("pingpong pingpong pingpong pingpong pingping pingping pingping pingping"), cells); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
	if len(r.Transports) != 2 || r.Transports[0].Options.Word("engine") != "net" || r.Transports[1].Options.Bytes("eager_limit") != 4096 {
		t.Errorf("transports are %+v", r.Transports)
	}
	if r.Precision != 0.01 {
		t.Errorf("precision is %v", r.Precision)
	}
}

// Of all benchmarks those for several threads are left out with a remark if there is one; one that
// is named is a mistake.
func TestBenchmarksForSeveralThreads(t *testing.T) {
	r, err := check(ask(func(a *P2P) { a.Level, a.Benchmarks, a.Sizes = "comm", "all", "8" }))
	if err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(r.Remarks, "\n"); !strings.Contains(said, "pingpong_turns") || !strings.Contains(said, "for several threads of a rank") {
		t.Errorf("remarks %s", said)
	}
	_, err = check(ask(func(a *P2P) { a.Level, a.Benchmarks = "comm", "pingpong_turns" }))
	if err == nil || !strings.Contains(err.Error(), "pingpong_turns is for several threads of a rank") {
		t.Errorf("got %v", err)
	}
}

func TestLaunchesTakeCellsInRandomOrder(t *testing.T) {
	r, err := check(ask(func(a *P2P) { a.Sizes = "0:4MiB" }))
	if err != nil {
		t.Fatal(err)
	}
	order := func(n round) (sizes []int) {
		for _, c := range n.order(r.Plan.Cases) {
			sizes = append(sizes, c.Size)
		}
		return sizes
	}
	first := order(round{Seed: 7})
	if !slices.IsSorted(first) {
		t.Errorf("the first launch has the order of the plan, not %v", first)
	}
	second, third, again := order(round{Seed: 7, Order: 1}), order(round{Seed: 7, Order: 2}), order(round{Seed: 7, Order: 1})
	other := order(round{Seed: 8, Order: 1})
	if slices.Equal(second, first) || slices.Equal(second, third) || slices.Equal(second, other) || !slices.Equal(second, again) {
		t.Errorf("orders: %v, %v, %v again, %v with another seed", second, third, again, other)
	}
	if slices.Sort(second); !slices.Equal(second, first) {
		t.Errorf("cells are lost: %v", second)
	}
}

// The time of a cell in a launch is longer for few cells, so that launches are spread over seconds.
// A requested budget is for all launches together.
func TestTimeOfACell(t *testing.T) {
	for _, c := range []struct {
		change func(*P2P)
		want   time.Duration
	}{
		{func(a *P2P) { a.Sizes = "8" }, maxCellTime},
		{func(a *P2P) { a.Sizes = bench.DefaultSizes }, wholeTime / (12 * DefaultLaunches)},
		{func(a *P2P) { a.Sizes, a.Benchmarks = bench.AllSizes, "pingpong,pingping,exchange,sendrecv" }, someCellTime},
		{func(a *P2P) { a.Budget = 160 * time.Millisecond }, 20 * time.Millisecond},
		{func(a *P2P) { a.Budget, a.Launches = 60*time.Millisecond, 1 }, 60 * time.Millisecond},
		{func(a *P2P) { a.Sizes, a.Budget = "8", 40*time.Second }, 5 * time.Second},
		{func(a *P2P) { a.Iterations = 100 }, limitTime},
	} {
		r, err := check(ask(c.change))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Plan.Stop.Budget; got != c.want {
			t.Errorf("%d cells, budget %v, %d launches: %v a cell, want %v", len(r.Plan.Cases), r.Budget, r.Launches, got, c.want)
		}
	}
}

func TestASignalBeforeTheFirstCellIsAnInterruption(t *testing.T) {
	r, err := check(ask(func(a *P2P) {
		a.Command, a.RankKind, a.Pin, a.File = []string{"gobench", "p2p"}, "goroutine", "none", filepath.Join(t.TempDir(), "out.jsonl")
	}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupt signal received"))
	c, err := newCampaign(t.Context(), []*measurement{r}, Setup{Stdout: io.Discard, Stderr: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Goroutines(ctx); !errors.Is(err, bench.ErrInterrupted) {
		t.Errorf("got %v", err)
	}
}

// A wrong name in a list is refused before and behind "all".
func TestNamesNextToAll(t *testing.T) {
	for list, want := range map[string]int{"pingpong": 1, "All": len(micro.All()), "pingpong,all": len(micro.All()), "all,pingpon": 0, "pingpon,all": 0, "all,": 0} {
		got, err := benchmarks(list)
		if len(got) != want || (err == nil) != (want > 0) || (CheckBenchmarks(list) == nil) != (want > 0) {
			t.Errorf("--bench=%s: %d benchmarks, %v", list, len(got), err)
		}
	}
	const every = schedule.Kinds
	for list, want := range map[string]int{"bcast": 1, "All": every, "bcast,all": every, "all,bcas": 0, "bcas,all": 0, "all,": 0} {
		got, _, err := operations(list)
		if len(got) != want || (err == nil) != (want > 0) || (CheckOperations(list) == nil) != (want > 0) {
			t.Errorf("--op=%s: %d operations, %v", list, len(got), err)
		}
	}
}
