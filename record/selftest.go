package record

import "strings"

// SelfTest begins the warning of a point, and of its run, that was measured with an injected fault.
// Such points are not results.
const SelfTest = "self-test: "

// SelfTest returns the injected fault, "" if there was none.
func (p *Point) SelfTest() string {
	for _, w := range p.Warnings {
		if what, ok := strings.CutPrefix(w, SelfTest); ok {
			return what
		}
	}
	return ""
}
