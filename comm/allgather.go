package comm

import "gobench/comm/schedule"

// Allgather gathers the send of every rank into the recv of every rank, in rank order. All sends
// have the same length. If send is nil, this rank's block is already in recv (in place).
func Allgather[T Type](c *Comm, send, recv []T) error { return c.do(allgather(c, send, recv)) }

// Iallgather starts an Allgather.
func Iallgather[T Type](c *Comm, send, recv []T) (Request, error) {
	return c.start(allgather(c, send, recv))
}

func allgather[T Type](c *Comm, send, recv []T) error {
	const kind = schedule.Allgather
	if err := c.checkOpen(); err != nil {
		return err
	}
	block := len(send)
	if send == nil {
		if err := c.checkDivides(kind, "recv", len(recv)); err != nil {
			return err
		}
		block = len(recv) / len(c.world)
	} else if err := checkLength(kind, "recv", len(recv), block*len(c.world), "the length of send for each rank"); err != nil {
		return err
	}
	c.begin(kind, size[T](), block*size[T](), raw(send), raw(recv))
	c.shape.InPlace = send == nil
	return nil
}

// Allgatherv is Allgather with counts[i] elements from rank i, stored at displs[i] of recv. If
// displs is nil, the blocks are contiguous.
func Allgatherv[T Type](c *Comm, send, recv []T, counts, displs []int) error {
	return c.do(allgatherv(c, send, recv, counts, displs))
}

// Iallgatherv starts an Allgatherv.
func Iallgatherv[T Type](c *Comm, send, recv []T, counts, displs []int) (Request, error) {
	return c.start(allgatherv(c, send, recv, counts, displs))
}

func allgatherv[T Type](c *Comm, send, recv []T, counts, displs []int) error {
	const kind = schedule.Allgather
	if err := c.checkOpen(); err != nil {
		return err
	}
	blocks, _, err := c.cut(kind, 1, counts, displs, size[T](), len(recv))
	if err != nil {
		return err
	}
	if send != nil {
		if err := checkLength(kind, "send", len(send), counts[c.rank], "the count of this rank"); err != nil {
			return err
		}
	}
	c.begin(kind, size[T](), 0, raw(send), raw(recv))
	c.shape.InPlace, c.shape.RecvBlocks = send == nil, blocks
	return nil
}
