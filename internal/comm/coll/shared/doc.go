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
// was used. Every rank publishes the last step that it has completed in its own line; the
// others read it only before they reuse memory, once in many steps. Any sequence of operations is
// therefore correct however the ranks are skewed, and a root may be several operations ahead of its
// leaves.
//
// # Operations
//
// In each step of an operation a rank posts, or deals (posts a part for every other rank, side by
// side), and reads what others have posted in this step or, with delay, in the step before:
//
//	Barrier             all post nothing, and read the entries of all
//	Bcast               the root posts chunks, the others read them
//	Scatter             the root deals, each other rank reads its part
//	Gather              the others post, the root reads
//	Allgather           all post, and read all
//	Alltoall            all deal, and read their parts of all; blocks that differ follow a step in
//	                    which all deal the lengths, and the data of short blocks
//	Reduce, Allreduce   all but the root, or all, post; the root, or all, combine the vectors
//	...Slices           all post a chunk, combine their slices of all, post those, and read all
//	ReduceScatterSlices all deal, and combine their parts of all
//	Scan                all post, and combine the vectors of the ranks up to themselves
//
// Vectors and blocks go in chunks, so that copying in and copying out overlap. All ranks compute
// the same sizes of steps, from the Shape or from the lengths that they have dealt, which is why
// they number the steps alike; ranks whose block is shorter take part in the later steps without
// data.
//
// # Faults
//
// The word of an entry has the operation, the length and the offset. A reader that expects another
// operation or length returns an *OperationError or a *schedule.LengthError and stops; an offset
// beyond the store is a *device.ProtocolError. After any error the ranks' steps may differ, so the
// arena gives the same error to all later operations, and the ranks that wait for this one get the
// *device.PeerError of its end. A rank that waits calls Progress of its device now and then, which
// serves the messages of other communicators, yields the processor, and detects dead ranks.
package shared
