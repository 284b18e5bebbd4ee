package record

// A Scale holds the best values of a machine's cores that are known before they are measured again.
// 0 = not known.
type Scale struct {
	Distance float64 `json:"distance_s,omitempty"` // least core-to-core latency, seconds
	Loop     float64 `json:"loop_s,omitempty"`     // least time of the loop of package pace, seconds

	// Copy is the copy bandwidth of a core in memory in bytes per second, and Cache the size of the
	// last-level cache.
	Copy  float64 `json:"-"`
	Cache int64   `json:"-"`
}
