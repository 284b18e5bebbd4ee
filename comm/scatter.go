package comm

import "gobench/comm/schedule"

// Scatter divides the root's send into one block per rank, each as long as recv, and sends every
// rank its block. send is ignored on other ranks. If recv is nil at the root, the root's block
// stays where it is (in place).
func Scatter[T Type](c *Comm, send, recv []T, root int) error {
	return c.do(scatter(c, send, recv, root))
}

// Iscatter starts a Scatter.
func Iscatter[T Type](c *Comm, send, recv []T, root int) (Request, error) {
	return c.start(scatter(c, send, recv, root))
}

func scatter[T Type](c *Comm, send, recv []T, root int) error {
	const kind = schedule.Scatter
	if err := c.checkRoot(kind, root); err != nil {
		return err
	}
	block, inPlace := len(recv), false
	if c.rank != root {
		send = nil
	} else if recv == nil {
		if err := c.checkDivides(kind, "send", len(send)); err != nil {
			return err
		}
		block, inPlace = len(send)/len(c.world), true
	} else if err := checkLength(kind, "send", len(send), block*len(c.world), "the length of recv for each rank"); err != nil {
		return err
	}
	c.begin(kind, size[T](), block*size[T](), raw(send), raw(recv))
	c.shape.Root, c.shape.InPlace = root, inPlace
	return nil
}

// Scatterv is Scatter with counts[i] elements for rank i, which begin at displs[i] of the root's
// send. Every rank passes counts; displs matters at the root only. If displs is nil, the blocks are
// contiguous.
func Scatterv[T Type](c *Comm, send []T, counts, displs []int, recv []T, root int) error {
	return c.do(scatterv(c, send, counts, displs, recv, root))
}

// Iscatterv starts a Scatterv.
func Iscatterv[T Type](c *Comm, send []T, counts, displs []int, recv []T, root int) (Request, error) {
	return c.start(scatterv(c, send, counts, displs, recv, root))
}

func scatterv[T Type](c *Comm, send []T, counts, displs []int, recv []T, root int) error {
	const kind = schedule.Scatter
	if err := c.checkRoot(kind, root); err != nil {
		return err
	}
	room := -1
	if c.rank == root {
		room = len(send)
	} else {
		send = nil
	}
	blocks, _, err := c.cut(kind, 0, counts, displs, size[T](), room)
	if err != nil {
		return err
	}
	inPlace := c.rank == root && recv == nil
	if !inPlace {
		if err := checkLength(kind, "recv", len(recv), counts[c.rank], "the count of this rank"); err != nil {
			return err
		}
	}
	c.begin(kind, size[T](), 0, raw(send), raw(recv))
	c.shape.Root, c.shape.InPlace, c.shape.SendBlocks = root, inPlace, blocks
	return nil
}
