// Package micro holds the point-to-point benchmarks, with the semantics of
// IMB-MPI1 and IMB-P2P (Intel MPI Benchmarks 2021.11), so that numbers mean what people
// know. They run on any device.Channel, so the levels raw and device share
// their code.
//
// Several ranks: an event lasts from the moment when the last rank had finished
// the event before to the moment when the last rank finishes this one, and the
// median is taken over events. The sum is the time of the slowest rank, which IMB-MPI1
// divides by the repetitions (IMB-P2P takes the mean over the ranks). With two ranks
// and PingPong all agree but for the median.
//
// As in IMB, all messages of a stream come from one buffer and go to one
// buffer, which therefore stay in the cache if they fit.
package micro
