package comm

import "gobench/comm/schedule"

// Alltoall divides send and recv into one block per rank: block i of send goes to rank i, and block
// i of recv comes from it. All blocks have the same length. If send is nil, the blocks to send are
// in recv (in place).
func Alltoall[T Type](c *Comm, send, recv []T) error { return c.do(alltoall(c, send, recv)) }

// Ialltoall starts an Alltoall.
func Ialltoall[T Type](c *Comm, send, recv []T) (Request, error) {
	return c.start(alltoall(c, send, recv))
}

func alltoall[T Type](c *Comm, send, recv []T) error {
	const kind = schedule.Alltoall
	if err := c.checkOpen(); err != nil {
		return err
	}
	if err := checkVectors(kind, send, recv); err != nil {
		return err
	}
	if err := c.checkDivides(kind, "recv", len(recv)); err != nil {
		return err
	}
	c.begin(kind, size[T](), len(recv)/len(c.world)*size[T](), raw(send), raw(recv))
	c.shape.InPlace = send == nil
	return nil
}

// Alltoallv is Alltoall with sendCounts[i] elements for rank i, from sendDispls[i] of send, and
// recvCounts[i] from it, to recvDispls[i] of recv. If displacements are nil, the blocks are
// contiguous. If send and sendCounts are nil, the blocks to send are in recv (in place).
func Alltoallv[T Type](c *Comm, send []T, sendCounts, sendDispls []int, recv []T, recvCounts, recvDispls []int) error {
	return c.do(alltoallv(c, send, sendCounts, sendDispls, recv, recvCounts, recvDispls))
}

// Ialltoallv starts an Alltoallv.
func Ialltoallv[T Type](c *Comm, send []T, sendCounts, sendDispls []int, recv []T, recvCounts, recvDispls []int) (Request, error) {
	return c.start(alltoallv(c, send, sendCounts, sendDispls, recv, recvCounts, recvDispls))
}

func alltoallv[T Type](c *Comm, send []T, sendCounts, sendDispls []int, recv []T, recvCounts, recvDispls []int) error {
	const kind = schedule.Alltoall
	if err := c.checkOpen(); err != nil {
		return err
	}
	in, _, err := c.cut(kind, 1, recvCounts, recvDispls, size[T](), len(recv))
	if err != nil {
		return err
	}
	out, inPlace := in, send == nil && sendCounts == nil
	if !inPlace {
		if out, _, err = c.cut(kind, 0, sendCounts, sendDispls, size[T](), len(send)); err != nil {
			return err
		}
		if sendCounts[c.rank] != recvCounts[c.rank] {
			return &ArgumentError{kind.String(), "what this rank sends to itself", sendCounts[c.rank], "what it receives from itself"}
		}
	}
	c.begin(kind, size[T](), 0, raw(send), raw(recv))
	c.shape.InPlace, c.shape.SendBlocks, c.shape.RecvBlocks = inPlace, out, in
	return nil
}
