package record

import "strings"

// SelfTest begins the warning of a point, and of its run, that was measured with a
// fault made on purpose. Its numbers are no result, however good they look.
const SelfTest = "self-test: "

// SelfTest returns what was done to the messages on purpose, "" where nothing was.
func (p *Point) SelfTest() string {
	for _, w := range p.Warnings {
		if what, ok := strings.CutPrefix(w, SelfTest); ok {
			return what
		}
	}
	return ""
}
