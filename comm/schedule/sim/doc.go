// Package sim runs the programs of all ranks of a collective operation without a
// network, in one goroutine, in a random order that a seed determines. It checks
// that programs do not depend on the timing of ranks or on buffered sends, that memory is not
// accessed while it is being transferred nor read before it was written, and that the result is
// correct.
//
// It also counts messages and bytes, and computes the critical path in Hockney's model
// (alpha + n beta for a message, gamma for a byte combined), in which the literature states the
// costs of algorithms.
package sim
