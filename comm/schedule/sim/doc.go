// Package sim runs the programs of all ranks of a collective operation without a
// network, in one goroutine, in a random order that a seed decides. It proves
// what runs over networks can only make likely: that no program depends on who is early,
// that sends need no buffers, that memory is not touched while it is being transferred, that
// nothing is read before it was written, and that the result is right.
//
// It also counts messages and bytes, and adds up a critical path in the model of Hockney
// (alpha + n beta for a message, gamma for a byte combined), in which the costs
// of algorithms are stated in the literature.
package sim
