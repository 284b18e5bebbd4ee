package bench

// verb is what all ranks do next.
type verb int

const (
	verbSetup    verb = iota // calibrate the clock, probe the noise
	verbCell                 // make the buffers and the operation of a cell
	verbDistance             // hand a cache line to and fro
	verbCheck                // exchange and check Samples messages one by one
	verbBlock                // time Samples samples of Batch events each
	verbWork                 // prepare to compute for Work seconds
	verbSync                 // make one clock of those of all ranks
	verbClock                // see by how much it is off
	verbStop                 // the run ends
)

// command is what rank 0 tells the others.
type command struct {
	Verb    verb    `json:"verb"`
	Cell    int     `json:"cell,omitempty"`    // verbCell: index into the plan
	Copies  int     `json:"copies,omitempty"`  // verbCell: of the buffers
	Start   Start   `json:"start,omitempty"`   // verbBlock: rank 0's choice holds, because hosts may differ
	Samples int     `json:"samples,omitempty"` // verbBlock, verbCheck, verbDistance: how many
	Batch   int     `json:"batch,omitempty"`   // verbBlock: events per sample
	Lead    int     `json:"lead,omitempty"`    // verbBlock: events before the first sample, not timed
	Rounds  int     `json:"rounds,omitempty"`  // verbDistance
	Pair    [2]int  `json:"pair,omitzero"`     // verbDistance: who
	Pace    bool    `json:"pace,omitempty"`    // verbDistance: every rank times the loop of package pace
	Phase   phase   `json:"phase,omitempty"`   // verbBlock: what its events are
	Work    float64 `json:"work,omitempty"`    // verbWork: seconds
	First   uint64  `json:"first,omitempty"`   // iteration number of the first pattern

	// verbStop: why; all absent at the regular end.
	Defect      *DataError   `json:"defect,omitempty"`
	Memory      *MemoryError `json:"memory,omitempty"`
	Failure     *RankError   `json:"failure,omitempty"`
	Interrupted bool         `json:"interrupted,omitempty"`
}

// reason is the error that a stop command stands for.
func (c command) reason() error {
	switch {
	case c.Defect != nil:
		return c.Defect
	case c.Memory != nil:
		return c.Memory
	case c.Failure != nil:
		return c.Failure
	case c.Interrupted:
		return ErrInterrupted
	}
	return nil
}

// report is what every rank answers.
type report struct {
	Defect      *DataError   `json:"defect,omitempty"`
	Memory      *MemoryError `json:"memory,omitempty"`      // verbSetup
	Failure     string       `json:"failure,omitempty"`     // a local error after which the rank is still in step
	Interrupted bool         `json:"interrupted,omitempty"` // this rank's context has ended
	Checked     int          `json:"checked,omitempty"`     // messages whose data this rank has checked
	Facts       *RankFacts   `json:"facts,omitempty"`       // verbSetup
	Distance    float64      `json:"distance,omitempty"`    // verbDistance, seconds
	Loop        float64      `json:"loop,omitempty"`        // verbDistance, seconds
	Clock       float64      `json:"clock,omitempty"`       // verbSync, verbClock: by which it may be off, seconds
	Cache       int64        `json:"cache,omitempty"`       // verbSetup: bytes of the last cache
	Plan        uint64       `json:"plan,omitempty"`        // verbSetup: fingerprint of the plan
}
