package device

// Stamps is where a loop below a Channel notes the time, so that nothing of the caller lies between two samples. Nil, or
// without room in At, nobody asks for times.
type Stamps struct {
	At    []int64      // when each Every rounds were over, ns of CLOCK_MONOTONIC
	Every int          // rounds
	Now   func() int64 // that clock, for rounds that the loop itself cannot do
	Made  int          // how many of At are noted
	Left  int          // rounds to the next
}

// Begin makes s ready for len(at) times every rounds.
func (s *Stamps) Begin(at []int64, every int, now func() int64) {
	*s = Stamps{At: at, Every: every, Now: now, Left: every}
}

// Round notes that one more round is over.
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
