package comm

import "gobench/comm/schedule"

// Gather gathers the send of every rank into the root's recv, in rank order. All sends have the
// same length. recv is ignored on other ranks. If send is nil at the root, the root's block is
// already in recv (in place).
func Gather[T Type](c *Comm, send, recv []T, root int) error {
	return c.do(gather(c, send, recv, root))
}

// Igather starts a Gather.
func Igather[T Type](c *Comm, send, recv []T, root int) (Request, error) {
	return c.start(gather(c, send, recv, root))
}

func gather[T Type](c *Comm, send, recv []T, root int) error {
	const kind = schedule.Gather
	if err := c.checkRoot(kind, root); err != nil {
		return err
	}
	block, inPlace := len(send), false
	if c.rank != root {
		recv = nil
	} else if send == nil {
		if err := c.checkDivides(kind, "recv", len(recv)); err != nil {
			return err
		}
		block, inPlace = len(recv)/len(c.world), true
	} else if err := checkLength(kind, "recv", len(recv), block*len(c.world), "the length of send for each rank"); err != nil {
		return err
	}
	c.begin(kind, size[T](), block*size[T](), raw(send), raw(recv))
	c.shape.Root, c.shape.InPlace = root, inPlace
	return nil
}

// Gatherv is Gather with counts[i] elements from rank i, stored at displs[i] of the root's recv.
// Every rank passes counts; displs matters at the root only. If displs is nil, the blocks are
// contiguous.
func Gatherv[T Type](c *Comm, send, recv []T, counts, displs []int, root int) error {
	return c.do(gatherv(c, send, recv, counts, displs, root))
}

// Igatherv starts a Gatherv.
func Igatherv[T Type](c *Comm, send, recv []T, counts, displs []int, root int) (Request, error) {
	return c.start(gatherv(c, send, recv, counts, displs, root))
}

func gatherv[T Type](c *Comm, send, recv []T, counts, displs []int, root int) error {
	const kind = schedule.Gather
	if err := c.checkRoot(kind, root); err != nil {
		return err
	}
	room := -1
	if c.rank == root {
		room = len(recv)
	} else {
		recv = nil
	}
	blocks, _, err := c.cut(kind, 1, counts, displs, size[T](), room)
	if err != nil {
		return err
	}
	inPlace := c.rank == root && send == nil
	if !inPlace {
		if err := checkLength(kind, "send", len(send), counts[c.rank], "the count of this rank"); err != nil {
			return err
		}
	}
	c.begin(kind, size[T](), 0, raw(send), raw(recv))
	c.shape.Root, c.shape.InPlace, c.shape.RecvBlocks = root, inPlace, blocks
	return nil
}
