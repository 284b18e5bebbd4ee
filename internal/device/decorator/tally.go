package decorator

// A Tally counts how often a fault could have been injected and how often it was. The caller that
// created the decorator owns it and may read it while no operation is outstanding.
type Tally struct {
	Seen int `json:"seen"` // messages or operations on which the fault may occur
	Done int `json:"done"` // faults injected
}
