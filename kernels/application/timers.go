package application

import "gobench/bench/clock"

// Phase is what a rank spends its time on. Every moment of the timed region
// belongs to one.
type Phase uint8

// Phases. Communication has one for each pattern, so that a report says which
// pattern an application waits for.
const (
	Compute   Phase = iota
	Exchange        // with neighbours: halos
	Transpose       // with a partner or all, where data change their layout
	Allreduce       // and Reduce: sums, norms
	Alltoall        // personalised exchange of all with all
	Barrier
	phases
)

var phaseNames = [phases]string{"compute", "exchange", "transpose", "allreduce", "alltoall", "barrier"}

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
	since int64 // begin of the current phase
	start int64 // of the timed region
	whole int64 // ns, after the end

	paused int64 // begin of the pause
}

// Enter ends the current phase and begins p. Outside the timed region it does
// nothing that is kept.
func (t *Timers) Enter(p Phase) {
	at := clock.Now()
	t.spent[t.now] += at - t.since
	t.now, t.since = p, at
	t.calls[p]++
}

// Pause stops the time of the region, for what is not part of the application. It
// goes on with Resume, in the phase that was left.
func (t *Timers) Pause() { t.paused = clock.Now() }

// Resume ends a Pause.
func (t *Timers) Resume() {
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
