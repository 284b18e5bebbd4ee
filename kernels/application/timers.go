package application

import "gobench/internal/bench/clock"

// Phase is a category of the time of a rank. Phases partition the timed region.
type Phase uint8

// Phases. Each pattern of communication has its own, so that a report shows which one an
// application waits for.
const (
	Compute   Phase = iota
	Exchange        // halos, with neighbours
	Transpose       // change of the data layout, with a partner or all ranks
	Allreduce       // and Reduce: sums, norms
	Alltoall        // personalised exchange between all ranks
	Barrier
	Storage // of files
	phases
)

var phaseNames = [phases]string{"compute", "exchange", "transpose", "allreduce", "alltoall", "barrier", "storage"}

func (p Phase) String() string { return phaseNames[p] }

// Phases lists all phases.
func Phases() []Phase {
	list := make([]Phase, phases)
	for i := range list {
		list[i] = Phase(i)
	}
	return list
}

// Timers splits the timed region into phases. The zero value is ready.
type Timers struct {
	spent [phases]int64 // ns
	calls [phases]int64 // times entered
	now   Phase
	since int64 // start of the current phase
	start int64 // of the timed region
	whole int64 // ns, after the end

	paused int64 // start of the pause
}

// Begin ends the current phase and begins p. Outside of the timed region it has no lasting effect.
func (t *Timers) Begin(p Phase) {
	if t.whole != 0 {
		return // verification
	}
	at := clock.Now()
	t.spent[t.now] += at - t.since
	t.now, t.since = p, at
	t.calls[p]++
}

func (t *Timers) pause() { t.paused = clock.Now() }

func (t *Timers) resume() {
	gap := clock.Now() - t.paused
	t.since += gap
	t.start += gap
}

func (t *Timers) begin() {
	*t = Timers{}
	t.start = clock.Now()
	t.since = t.start
}

func (t *Timers) end() float64 {
	at := clock.Now()
	t.spent[t.now] += at - t.since
	t.since = at
	t.whole = at - t.start
	return float64(t.whole) / 1e9
}

// Seconds returns the time spent in p.
func (t *Timers) Seconds(p Phase) float64 { return float64(t.spent[p]) / 1e9 }

// Calls returns how often p was entered.
func (t *Timers) Calls(p Phase) int64 { return t.calls[p] }

// Whole returns the length of the timed region in seconds, 0 before its end.
func (t *Timers) Whole() float64 { return float64(t.whole) / 1e9 }
