package comm_test

import (
	"gobench/comm"
	"gobench/comm/op"
)

// collectives are all collective operations on one type, blocking or not: the
// same tests are for both.
type collectives struct {
	barrier                           func(c *comm.Comm) error
	bcast                             func(c *comm.Comm, data []int64, root int) error
	gather, scatter                   func(c *comm.Comm, send, recv []int64, root int) error
	gatherv                           func(c *comm.Comm, send, recv []int64, counts, displs []int, root int) error
	scatterv                          func(c *comm.Comm, send []int64, counts, displs []int, recv []int64, root int) error
	allgather, alltoall               func(c *comm.Comm, send, recv []int64) error
	allgatherv                        func(c *comm.Comm, send, recv []int64, counts, displs []int) error
	alltoallv                         func(c *comm.Comm, send []int64, sendCounts, sendDispls []int, recv []int64, recvCounts, recvDispls []int) error
	reduce                            func(c *comm.Comm, send, recv []int64, o *op.Op, root int) error
	allreduce, scan, exscan, scatters func(c *comm.Comm, send, recv []int64, o *op.Op) error
	reduceScatter                     func(c *comm.Comm, send, recv []int64, counts []int, o *op.Op) error
}

func forms() []collectives {
	return []collectives{
		{
			comm.Barrier, comm.Bcast[int64], comm.Gather[int64], comm.Scatter[int64], comm.Gatherv[int64], comm.Scatterv[int64],
			comm.Allgather[int64], comm.Alltoall[int64], comm.Allgatherv[int64], comm.Alltoallv[int64], comm.Reduce[int64],
			comm.Allreduce[int64], comm.Scan[int64], comm.Exscan[int64], comm.ReduceScatterBlock[int64], comm.ReduceScatter[int64],
		},
		{
			func(c *comm.Comm) error { return waited(comm.Ibarrier(c)) },
			func(c *comm.Comm, data []int64, root int) error { return waited(comm.Ibcast(c, data, root)) },
			func(c *comm.Comm, send, recv []int64, root int) error {
				return waited(comm.Igather(c, send, recv, root))
			},
			func(c *comm.Comm, send, recv []int64, root int) error {
				return waited(comm.Iscatter(c, send, recv, root))
			},
			func(c *comm.Comm, send, recv []int64, counts, displs []int, root int) error {
				return waited(comm.Igatherv(c, send, recv, counts, displs, root))
			},
			func(c *comm.Comm, send []int64, counts, displs []int, recv []int64, root int) error {
				return waited(comm.Iscatterv(c, send, counts, displs, recv, root))
			},
			func(c *comm.Comm, send, recv []int64) error { return waited(comm.Iallgather(c, send, recv)) },
			func(c *comm.Comm, send, recv []int64) error { return waited(comm.Ialltoall(c, send, recv)) },
			func(c *comm.Comm, send, recv []int64, counts, displs []int) error {
				return waited(comm.Iallgatherv(c, send, recv, counts, displs))
			},
			func(c *comm.Comm, send []int64, sendCounts, sendDispls []int, recv []int64, recvCounts, recvDispls []int) error {
				return waited(comm.Ialltoallv(c, send, sendCounts, sendDispls, recv, recvCounts, recvDispls))
			},
			func(c *comm.Comm, send, recv []int64, o *op.Op, root int) error {
				return waited(comm.Ireduce(c, send, recv, o, root))
			},
			func(c *comm.Comm, send, recv []int64, o *op.Op) error {
				return waited(comm.Iallreduce(c, send, recv, o))
			},
			func(c *comm.Comm, send, recv []int64, o *op.Op) error { return waited(comm.Iscan(c, send, recv, o)) },
			func(c *comm.Comm, send, recv []int64, o *op.Op) error { return waited(comm.Iexscan(c, send, recv, o)) },
			func(c *comm.Comm, send, recv []int64, o *op.Op) error {
				return waited(comm.IreduceScatterBlock(c, send, recv, o))
			},
			func(c *comm.Comm, send, recv []int64, counts []int, o *op.Op) error {
				return waited(comm.IreduceScatter(c, send, recv, counts, o))
			},
		},
	}
}

func waited(r comm.Request, err error) error {
	if err == nil {
		_, err = r.Wait()
	}
	return err
}
