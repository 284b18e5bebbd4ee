// Package micro holds the point-to-point benchmarks, with the semantics of
// IMB-MPI1 and IMB-P2P (Intel MPI Benchmarks 2021.11), so that numbers mean what people
// know. They run on any device.Channel, so the levels raw and device share
// their code.
//
// Where IMB is silent or averages: the time of an event is the largest over the ranks whose times
// count, per event, and the median is taken over events. IMB takes the largest of
// the ranks' means (MPI1) or the mean over ranks (P2P). With two ranks and PingPong all three
// agree but for the median.
//
// As in IMB, all messages of a stream come from one buffer and go to one buffer, which therefore
// stay in the cache if they fit.
package micro
