package record

import "strings"

// Oversubscribed begins the warning of a point with more ranks than cores. Its times include
// waiting for a core.
const Oversubscribed = "oversubscribed: "

// Oversubscribed reports whether ranks shared cores.
func (p *Point) Oversubscribed() bool {
	for _, w := range p.Warnings {
		if strings.HasPrefix(w, Oversubscribed) {
			return true
		}
	}
	return false
}
