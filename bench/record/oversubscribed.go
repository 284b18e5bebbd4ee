package record

import "strings"

// Oversubscribed begins the warning of a point whose ranks are more than the cores that they have:
// its times are those of the scheduler as well.
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
