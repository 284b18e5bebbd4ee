// Package micro holds the point-to-point benchmarks, with the semantics of IMB-MPI1 and IMB-P2P
// (Intel MPI Benchmarks 2021.11), so that numbers are comparable. They run on any device.Channel,
// so the levels raw and device share their code.
//
// With several ranks, an event begins when the last rank has finished the previous event, and ends
// when the last rank has finished it; the reported value is the median over events. The sum of the
// events is the time of the slowest rank, which IMB-MPI1 divides by the repetitions (IMB-P2P uses
// the mean over the ranks). For PingPong with two ranks these definitions differ only in the
// median.
//
// As in IMB, all messages of a stream are sent from one buffer and received into one buffer, which
// therefore stay in the cache if they fit.
package micro
