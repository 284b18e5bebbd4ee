package clock_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"gobench/internal/bench/clock"
)

// virtual is a rank in a simulated network with a true time in ns. Its clock has an offset and a
// rate. Messages have random delays that differ by direction.
type virtual struct {
	rank   int
	links  [][]chan letter // [from][to]
	time   float64
	offset float64
	rate   float64 // 1e-6 = 1 ppm too fast
	delays *rand.Rand
}

type letter struct {
	word    int64
	arrival float64
}

func (v *virtual) Rank() int             { return v.rank }
func (v *virtual) Size() int             { return len(v.links) }
func (v *virtual) shows(t float64) int64 { return int64(v.offset + t*(1+v.rate)) }

func (v *virtual) Now() int64 {
	v.time += 25
	return v.shows(v.time)
}

func (v *virtual) Send(to int, word int64) error {
	delay := 1000 + 300*v.delays.ExpFloat64()
	if to < v.rank {
		delay += 400 // exchanges are asymmetric
	}
	if v.delays.IntN(20) == 0 {
		delay += 50_000 // the operating system
	}
	v.time += 50
	v.links[v.rank][to] <- letter{word, v.time + delay}
	return nil
}

func (v *virtual) Recv(from int) (int64, error) {
	l := <-v.links[from][v.rank]
	v.time = max(v.time, l.arrival) + 50
	return l.word, nil
}

func virtuals(ranks int) []*virtual {
	links := make([][]chan letter, ranks)
	for i := range links {
		links[i] = make([]chan letter, ranks)
		for j := range links[i] {
			links[i][j] = make(chan letter, 4)
		}
	}
	all := make([]*virtual, ranks)
	for i := range all {
		r := rand.New(rand.NewPCG(uint64(i), uint64(ranks)))
		all[i] = &virtual{
			rank: i, links: links, delays: r, time: 1e6 * r.Float64(),
			offset: 1e15 * r.Float64(), rate: 50e-6 * (2*r.Float64() - 1),
		}
	}
	return all
}

// each runs f for all ranks concurrently.
func each[N any](t *testing.T, ranks []N, f func(i int, n N) error) {
	t.Helper()
	errs := make([]error, len(ranks))
	var wg sync.WaitGroup
	for i, n := range ranks {
		wg.Go(func() { errs[i] = f(i, n) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// The error of every rank's map is below its bound, while the clocks drift apart by tens of ppm;
// without the map they are hours apart.
func TestSynchroniseVirtualClocks(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 4, 5, 7, 8, 13} {
		all := virtuals(ranks)
		models := make([]clock.Model, ranks)
		each(t, all, func(i int, v *virtual) (err error) {
			models[i], err = clock.Synchronise(v, clock.DefaultEffort)
			return err
		})
		end := 0.0
		for _, v := range all {
			end = max(end, v.time)
		}
		for _, later := range []float64{0, 1e9} {
			for i, v := range all {
				at := end + later
				own := v.shows(at)
				wrong := math.Abs(float64(models[i].Global(own)-all[0].shows(at))) / 1e9
				if bound := models[i].Bound(own); wrong > bound {
					t.Errorf("%d ranks: rank %d: error %g s after %g s, bound %g s", ranks, i, wrong, later/1e9, bound)
				}
				if bound := models[i].Bound(own); later == 0 && bound > 20e-6 {
					t.Errorf("%d ranks: rank %d: bound %g s, want at most 20 us", ranks, i, bound)
				}
				if back := models[i].Own(models[i].Global(own)); back < own-1 || back > own+1 {
					t.Errorf("rank %d: Own(Global(%d)) is %d", i, own, back)
				}
			}
		}
	}
}

// slow is a rank whose messages take 10 ms, and counts its pings.
type slow struct {
	*virtual
	pings *int
}

func (s slow) Send(to int, word int64) error {
	s.time += 10e6
	*s.pings++
	return s.virtual.Send(to, word)
}

// If exchanges take long, there are fewer of them, and the bounds hold.
func TestSynchroniseSlowRanks(t *testing.T) {
	all := virtuals(2)
	pings := make([]int, len(all))
	models := make([]clock.Model, len(all))
	each(t, all, func(i int, v *virtual) (err error) {
		s := slow{v, &pings[i]}
		if models[i], err = clock.Synchronise(s, clock.DefaultEffort); err == nil {
			_, err = clock.Check(s, models[i])
		}
		return err
	})
	if largest := clock.DefaultEffort.Points + 10; pings[1] > largest {
		t.Errorf("%d messages, want at most %d", pings[1], largest)
	}
	own := all[1].shows(all[1].time)
	if wrong, bound := math.Abs(float64(models[1].Global(own)-all[0].shows(all[1].time)))/1e9, models[1].Bound(own); wrong > bound {
		t.Errorf("error %g s, bound %g s", wrong, bound)
	}
}

// Check detects a wrong map and bounds its error from above.
func TestCheckDetectsTheError(t *testing.T) {
	all := virtuals(5)
	models := make([]clock.Model, len(all))
	worst := make([]clock.Deviation, len(all))
	each(t, all, func(i int, v *virtual) (err error) {
		models[i], err = clock.Synchronise(v, clock.DefaultEffort)
		if i == 3 {
			models[i].Offset += 7_000_000
		}
		return err
	})
	each(t, all, func(i int, v *virtual) (err error) {
		worst[i], err = clock.Check(v, models[i])
		return err
	})
	for i, w := range worst {
		if w != worst[0] || w.Max < 6.99e-3 || w.Max > 7.02e-3 || w.Excess < 6.9e-3 || w.Excess > w.Max {
			t.Errorf("rank %d: %+v, planted were 7 ms", i, w)
		}
	}
}

// The time for which a rank waits until rank 0 has answered the ranks before it is no error of its
// clock.
func TestCheckOfManyRanks(t *testing.T) {
	all := virtuals(250)
	each(t, all, func(_ int, v *virtual) error {
		m, err := clock.Synchronise(v, clock.DefaultEffort)
		if err != nil {
			return err
		}
		d, err := clock.Check(v, m)
		if d.Max > 1e-3 {
			t.Errorf("the clocks differ by up to %v s", d.Max)
		}
		return err
	})
}

// A check takes as long as the levels of the tree: its ranks measure at the same time.
func TestCheckOfManySlowRanks(t *testing.T) {
	all := virtuals(64)
	pings := make([]int, len(all))
	models := make([]clock.Model, len(all))
	time := func(check bool) (latest float64) {
		each(t, all, func(i int, v *virtual) (err error) {
			if check {
				_, err = clock.Check(slow{v, &pings[i]}, models[i])
			} else {
				models[i], err = clock.Synchronise(v, clock.DefaultEffort)
			}
			return err
		})
		for _, v := range all {
			latest = max(latest, v.time)
		}
		return latest / 1e9
	}
	// Of six levels with 0.12 s each, and 63 ranks to which rank 0 sends two words in 10 ms each.
	if took := -time(false) + time(true); took > 2.5 {
		t.Errorf("it takes %.2f s where a message takes 10 ms", took)
	}
}

// Clocks of constant rates stay within the bounds of their maps.
func TestCheckOfConstantRates(t *testing.T) {
	all := virtuals(5)
	each(t, all, func(i int, v *virtual) error {
		m, err := clock.Synchronise(v, clock.DefaultEffort)
		if err != nil {
			return err
		}
		d, err := clock.Check(v, m)
		if d.Excess != 0 || d.Max <= 0 {
			t.Errorf("rank %d: %+v", i, d)
		}
		return err
	})
}

// local is a rank of one process: the true offset of all clocks is zero.
type local struct {
	rank  int
	links [][]chan int64
}

func (l *local) Rank() int  { return l.rank }
func (l *local) Size() int  { return len(l.links) }
func (l *local) Now() int64 { return clock.Now() }
func (l *local) Send(to int, word int64) error {
	l.links[l.rank][to] <- word
	return nil
}
func (l *local) Recv(from int) (int64, error) { return <-l.links[from][l.rank], nil }

// With the real clock, the error of the map does not exceed its bound.
func TestSynchroniseSharedClock(t *testing.T) {
	const ranks = 3
	links := make([][]chan int64, ranks)
	for i := range links {
		links[i] = []chan int64{make(chan int64, 4), make(chan int64, 4), make(chan int64, 4)}
	}
	all := []*local{{0, links}, {1, links}, {2, links}}
	each(t, all, func(i int, l *local) error {
		m, err := clock.Synchronise(l, clock.Effort{Points: 10, Exchanges: 5, Window: time.Millisecond, Limit: time.Second})
		if err != nil {
			return err
		}
		now := clock.Now()
		if wrong := math.Abs(float64(m.Global(now)-now)) / 1e9; wrong > m.Bound(now) {
			t.Errorf("rank %d: error %g s, bound %g s", i, wrong, m.Bound(now))
		}
		_, err = clock.Check(l, m)
		return err
	})
}
