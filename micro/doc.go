// Package micro holds the point-to-point benchmarks, with the semantics of IMB-MPI1 and IMB-P2P
// (Intel MPI Benchmarks 2021.11), so that numbers are comparable. They run on any device.Channel,
// so the levels raw and device share their code.
//
// With several ranks, an event lasts from the moment when the last rank finished the previous event
// to the moment when the last rank finishes this one; the reported value is the median over events.
// The sum of the events is the time of the slowest rank, which IMB-MPI1 divides by the repetitions
// (IMB-P2P takes the mean over the ranks). For PingPong with two ranks these definitions agree but
// for the median.
//
// As in IMB, all messages of a stream are sent from one buffer and received into one buffer, which
// therefore stay in the cache if they fit.
package micro
