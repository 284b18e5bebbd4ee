// Package shared holds collective algorithms in memory that all ranks of a
// communicator have mapped (device.Sharer): flags and slots take the place of
// messages. The thesis names collectives in the device layer as future work.
//
// # The board
//
// Every rank has a board that it alone writes and all read. An operation is a
// sequence of steps, which all ranks count alike. In a step a rank may post: it writes a
// note, one cache line that holds the number of the step and up to 48 bytes, or says
// where in the rank's store longer data lies. Whoever needs it looks at that line
// until the number is there. So the shortest operations move one line from
// each writer to its readers, and nothing else.
//
// A note or a piece of store is used again only when all ranks are past the step in which
// it was used. Every rank says in a line of its own how far it is; the others
// look there only when they are about to overtake, once in many steps. So any
// sequence of operations is right, however early or late ranks are, and a root
// may be some operations ahead of its leaves.
package shared
