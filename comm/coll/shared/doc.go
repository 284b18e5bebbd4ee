// Package shared holds collective algorithms in memory that all ranks of a
// communicator have mapped (device.Sharer): flags and slots take the place of
// messages. The thesis names collectives in the device layer as future work.
//
// # The board
//
// Every rank has a board, which only it writes and all ranks read. An operation is a sequence of
// steps, which all ranks number alike. In a step a rank may post an entry: one cache line with the
// number of the step and either up to 48 bytes of data or the place of longer data in the rank's
// store. Readers poll that line until the number appears. The shortest operations therefore move
// one cache line from each writer to its readers, and nothing else.
//
// An entry or a piece of store is reused only after all ranks have completed the step in which it
// was used. Every rank publishes the last step that it has completed in a line of its own; the
// others read it only before they reuse memory, once in many steps. Any sequence of operations is
// therefore correct however the ranks are skewed, and a root may be several operations ahead of its
// leaves.
package shared
