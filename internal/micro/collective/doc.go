// Package collective holds the benchmarks of collective operations, with the semantics of IMB-MPI1
// and IMB-NBC (Intel MPI Benchmarks 2021.11): the meaning of a size, the reduced type (float32,
// summed), the root. One difference: an event is timed from the first rank's entry to the last
// rank's exit on one clock (package bench), while IMB prints the mean over ranks of their own
// times.
//
// The size is the length of one rank's block for scatter, gather, allgather and alltoall, and of
// the vector for bcast and the reductions (reduce_scatter: of the whole vector before it is
// scattered).
//
// There are two bandwidths: aggregate, size x ranks / time as in the thesis, and bus bandwidth,
// which is comparable over numbers of ranks and with the bandwidth of a link: it uses the ideal
// volume per link of each operation, as in nccl-tests.
package collective
