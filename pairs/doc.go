// Package pairs finds the hosts and links of a cluster that are slower than the others, from
// measurements between pairs of hosts. It measures nothing itself.
//
// A Study plans the measurements: rounds of disjoint pairs with partners from all distances
// (schedule.go), and, for each host or pair that deviates in a robust fit (fit.go), measurements
// with partners that do not deviate, beside a reference between these partners at the same time
// (confirm.go). The caller measures what Next returns and passes the results to Add. Verdict may be
// called at any time: it names what is confirmed, with an interval, and lists what is missing.
package pairs

// A Host is a host of the study.
type Host struct {
	Name string `json:"name"`
	// Place names the groups that the host is in, from the widest to the narrowest, such as spine
	// and leaf; nil = unknown. All hosts have equally many.
	Location []string `json:"place,omitempty"`
}

// Stage is the purpose of a measurement.
type Stage string

// Stages of a study.
const (
	Survey Stage = "survey" // of all hosts, in rounds
	Alone  Stage = "alone"  // of a suspect, while few other pairs are measured
	Loaded Stage = "loaded" // of a suspect, while all other hosts are measured
)

// A Match is a pair of hosts, by their numbers, that is to be measured. The hosts of the matches
// of a batch are disjoint.
type Match struct {
	A, B  int
	Round int // of the survey, or of the confirmation
	Stage Stage
}

// A Sample is the result of a match. Times are in seconds, rates in bytes per second; zero is not
// measured. A sample with Failed has no values.
type Sample struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Round int    `json:"round"`
	Stage Stage  `json:"stage"`

	HalfRTT   Times   `json:"half_rtt_s"`             // of messages of 8 bytes
	Allreduce Times   `json:"allreduce_s,omitzero"`   // of 8 bytes, among all hosts that a load leaves
	Forth     float64 `json:"forth_Bps,omitempty"`    // from A to B
	Back      float64 `json:"back_Bps,omitempty"`     // from B to A
	Both      float64 `json:"both_Bps,omitempty"`     // sum of both directions at the same time
	Resent    [2]int  `json:"resent_small"`           // TCP segments that A and B sent again, of small messages
	Changed   Changes `json:"counters,omitempty"`     // counters of errors that have changed
	Failed    string  `json:"failed,omitempty"`       // why there is no result
	Culprit   string  `json:"culprit,omitempty"`      // the host that is the reason, "" = unknown
	Kind      Kind    `json:"failure_kind,omitempty"` // of a failure with its own kind
	Resent2   [2]int  `json:"resent_large"`           // segments that A and B sent again, of large messages
	Cores     [2]int  `json:"cores"`                  // that A and B measured on, -1 = any
	Seconds   float64 `json:"seconds,omitempty"`      // that the measurement took
}

// Times summarizes the times of N events.
type Times struct {
	Median float64 `json:"median"`
	P99    float64 `json:"p99"`
	Mean   float64 `json:"mean"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	N      int     `json:"n"`
}

// Changes holds the increments of counters by host and name.
type Changes map[string]map[string]uint64
