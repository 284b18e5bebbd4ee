package record

import "strings"

// Beginnings of warnings that say what a point is.
const (
	// Oversubscribed begins the warning of a point with more ranks than cores. Its times include
	// waiting for a core.
	Oversubscribed = "oversubscribed: "
	// SelfTest begins the warning of a point, and of its run, that was measured with an injected
	// fault. Such points are not results.
	SelfTest = "self-test: "
)

// Oversubscribed reports whether ranks shared cores.
func (p *Point) Oversubscribed() bool { return p.warning(Oversubscribed) != "" }

// SelfTest returns the injected fault, "" if there was none.
func (p *Point) SelfTest() string { return p.warning(SelfTest) }

// warning returns what follows the begin of a warning, "" if there is no such warning.
func (p *Point) warning(begin string) string {
	for _, w := range p.Warnings {
		if what, ok := strings.CutPrefix(w, begin); ok {
			return what
		}
	}
	return ""
}
