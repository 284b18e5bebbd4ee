package device

// Stamps collects timestamps from a loop that runs below a Channel, so that no caller code is
// timed. A nil Stamps, or one whose At is full, records nothing.
type Stamps struct {
	At    []int64      // the times after every Every rounds, ns of CLOCK_MONOTONIC
	Every int          // rounds
	Now   func() int64 // reads that clock, for rounds that the loop cannot run itself
	Made  int          // times recorded in At
	Left  int          // rounds until the next
}

// Begin prepares s to record len(at) times, one after each every rounds.
func (s *Stamps) Begin(at []int64, every int, now func() int64) {
	*s = Stamps{At: at, Every: every, Now: now, Left: every}
}

// Round records the end of a round.
func (s *Stamps) Round() {
	if s == nil || s.Made == len(s.At) {
		return
	}
	if s.Left--; s.Left == 0 {
		s.At[s.Made] = s.Now()
		s.Made++
		s.Left = s.Every
	}
}
