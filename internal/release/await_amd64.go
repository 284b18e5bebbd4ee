//go:build amd64 && !race

package release

// Await polls *p at least once and at most polls times until it is want, and reports whether it is.
// Between polls it executes PAUSE. Without, the loads that the processor has begun ahead take the
// line back from a core that is about to write it: the round trip of a line between near cores took
// 1.5 to 2.5 times as long, depending on the loop around the load (docs/notes/smem.md).
//
//go:noescape
func Await(p *uint64, want uint64, polls int) bool
