package decorator

// Tally counts what the decorator of a fault has seen and done. It belongs to whoever
// made the decorator, and is read while no operation is under way.
type Tally struct {
	Seen int `json:"seen"` // messages or operations that count for the fault
	Done int `json:"done"` // times that it happened
}
