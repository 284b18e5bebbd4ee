package record

import "strings"

// Oversubscribed begins the warning of a point with more ranks than cores. Its times include those
// of the scheduler.
const Oversubscribed = "oversubscribed: "

// Oversubscribed reports whether ranks had to share cores.
func (p *Point) Oversubscribed() bool {
	for _, w := range p.Warnings {
		if strings.HasPrefix(w, Oversubscribed) {
			return true
		}
	}
	return false
}
