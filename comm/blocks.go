package comm

import (
	"fmt"

	"gobench/comm/schedule"
)

// maxBytes bounds the total size of blocks: above any memory size and far below overflow.
const maxBytes = 1 << 46

// cut fills c.blocks[which] with the blocks of a vector form, as function cut does, and returns
// them and the sum of the counts.
func (c *Comm) cut(kind schedule.Kind, which int, counts, displs []int, elem, room int) ([]schedule.Block, int, error) {
	if err := c.checkIntra(); err != nil {
		return nil, 0, err
	}
	if c.blocks[which] == nil {
		c.blocks[which] = make([]schedule.Block, len(c.world))
	}
	total, err := cut(kind, "rank", c.blocks[which], counts, displs, elem, room)
	return c.blocks[which], total, err
}

// cut fills in the blocks of a vector form, one for each rank, or as of names it. counts and displs
// are the caller's, in elements; with nil displs the blocks are contiguous. room is the length of
// the buffer that holds them, or -1 on ranks without one, where offsets are not used. It returns
// the sum of the counts.
func cut(kind schedule.Kind, of string, blocks []schedule.Block, counts, displs []int, elem, room int) (total int, err error) {
	if room < 0 {
		displs = nil
	}
	if len(counts) != len(blocks) {
		return 0, checkLength(kind, "counts", len(counts), len(blocks), "the number of "+of+"s")
	}
	if displs != nil && len(displs) != len(blocks) {
		return 0, checkLength(kind, "displs", len(displs), len(blocks), "the number of "+of+"s")
	}
	for i, n := range counts {
		off := total
		if displs != nil {
			off = displs[i]
		}
		switch {
		case n > maxBytes/elem-total:
			return 0, &ArgumentError{kind.String(), fmt.Sprintf("the count of %s %d", of, i), n, "a sum of counts that fits into memory"}
		case n < 0:
			return 0, &ArgumentError{kind.String(), fmt.Sprintf("the count of %s %d", of, i), n, "0 or more"}
		case off < 0:
			return 0, &ArgumentError{kind.String(), fmt.Sprintf("the displacement of %s %d", of, i), off, "0 or more"}
		case room >= 0 && n > 0 && (off > room || n > room-off):
			return 0, &ArgumentError{kind.String(), "the length of the buffer", room, fmt.Sprintf("at least %d, where the block of %s %d ends", off+n, of, i)}
		}
		if n == 0 && displs != nil {
			off = 0 // the displacement of an empty block is ignored
		}
		blocks[i] = schedule.Block{Off: off * elem, Len: n * elem}
		total += n
	}
	return total, nil
}

// Gather gathers the send of every rank into the root's recv, in rank order. All sends have the
// same length. recv is ignored on other ranks. If send is nil at the root, the root's block is
// already in recv (in place).
func Gather[T Type](c *Comm, send, recv []T, root int) error {
	return c.do(rooted(c, schedule.Gather, send, recv, root))
}

// Igather starts a Gather.
func Igather[T Type](c *Comm, send, recv []T, root int) (Request, error) {
	return c.start(rooted(c, schedule.Gather, send, recv, root))
}

// rooted begins a Gather, whose root receives the whole, or a Scatter, whose root sends it. Every
// rank has a part.
func rooted[T Type](c *Comm, kind schedule.Kind, part, whole []T, root int) error {
	if err := c.checkRoot(kind, root); err != nil {
		return err
	}
	name, want := "recv", "the length of send for each rank"
	if kind == schedule.Scatter {
		name, want = "send", "the length of recv for each rank"
	}
	block, inPlace := len(part), false
	if c.rank != root {
		whole = nil
	} else if part == nil {
		if err := c.checkDivides(kind, name, len(whole)); err != nil {
			return err
		}
		block, inPlace = len(whole)/len(c.world), true
	} else if err := checkLength(kind, name, len(whole), block*len(c.world), want); err != nil {
		return err
	}
	send, recv := part, whole
	if kind == schedule.Scatter {
		send, recv = whole, part
	}
	c.begin(kind, size[T](), block*size[T](), raw(send), raw(recv))
	c.shape.Root, c.shape.InPlace = root, inPlace
	return nil
}

// Gatherv is Gather with counts[i] elements from rank i, stored at displs[i] of the root's recv.
// Every rank passes counts; displs matters at the root only. If displs is nil, the blocks are
// contiguous.
func Gatherv[T Type](c *Comm, send, recv []T, counts, displs []int, root int) error {
	return c.do(rootedVector(c, schedule.Gather, send, recv, counts, displs, root))
}

// Igatherv starts a Gatherv.
func Igatherv[T Type](c *Comm, send, recv []T, counts, displs []int, root int) (Request, error) {
	return c.start(rootedVector(c, schedule.Gather, send, recv, counts, displs, root))
}

// rootedVector is rooted with counts[i] elements of rank i, at displs[i] of the whole.
func rootedVector[T Type](c *Comm, kind schedule.Kind, part, whole []T, counts, displs []int, root int) error {
	if err := c.checkRoot(kind, root); err != nil {
		return err
	}
	room := -1
	if c.rank == root {
		room = len(whole)
	} else {
		whole = nil
	}
	name, which := "send", 1
	if kind == schedule.Scatter {
		name, which = "recv", 0
	}
	blocks, _, err := c.cut(kind, which, counts, displs, size[T](), room)
	if err != nil {
		return err
	}
	inPlace := c.rank == root && part == nil
	if !inPlace {
		if err := checkLength(kind, name, len(part), counts[c.rank], "the count of this rank"); err != nil {
			return err
		}
	}
	if kind == schedule.Scatter {
		c.begin(kind, size[T](), 0, raw(whole), raw(part))
		c.shape.SendBlocks = blocks
	} else {
		c.begin(kind, size[T](), 0, raw(part), raw(whole))
		c.shape.RecvBlocks = blocks
	}
	c.shape.Root, c.shape.InPlace = root, inPlace
	return nil
}

// Scatter divides the root's send into one block per rank, each as long as recv, and sends every
// rank its block. send is ignored on other ranks. If recv is nil at the root, the root's block
// stays where it is (in place).
func Scatter[T Type](c *Comm, send, recv []T, root int) error {
	return c.do(rooted(c, schedule.Scatter, recv, send, root))
}

// Iscatter starts a Scatter.
func Iscatter[T Type](c *Comm, send, recv []T, root int) (Request, error) {
	return c.start(rooted(c, schedule.Scatter, recv, send, root))
}

// Scatterv is Scatter with counts[i] elements for rank i, which begin at displs[i] of the root's
// send. Every rank passes counts; displs matters at the root only. If displs is nil, the blocks are
// contiguous.
func Scatterv[T Type](c *Comm, send []T, counts, displs []int, recv []T, root int) error {
	return c.do(rootedVector(c, schedule.Scatter, recv, send, counts, displs, root))
}

// Iscatterv starts a Scatterv.
func Iscatterv[T Type](c *Comm, send []T, counts, displs []int, recv []T, root int) (Request, error) {
	return c.start(rootedVector(c, schedule.Scatter, recv, send, counts, displs, root))
}

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
