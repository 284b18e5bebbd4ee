package decorator

// A Tally counts the occasions and occurrences of an injected fault. It belongs to the caller who
// made the decorator, and may be read while no operation is under way.
type Tally struct {
	Seen int `json:"seen"` // messages or operations on which the fault may occur
	Done int `json:"done"` // faults injected
}
