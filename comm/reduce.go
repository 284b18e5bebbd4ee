package comm

import (
	"gobench/comm/op"
	"gobench/comm/schedule"
)

// Reduce combines the vectors of all ranks, element by element and in rank order, into the root's
// recv. All vectors have the same length. recv is ignored on other ranks. If send is nil at the
// root, the root's vector is in recv (in place).
func Reduce[T Type](c *Comm, send, recv []T, o *op.Op, root int) error {
	return c.do(reduce(c, send, recv, o, root))
}

// Ireduce starts a Reduce.
func Ireduce[T Type](c *Comm, send, recv []T, o *op.Op, root int) (Request, error) {
	return c.start(reduce(c, send, recv, o, root))
}

func reduce[T Type](c *Comm, send, recv []T, o *op.Op, root int) error {
	const kind = schedule.Reduce
	if err := c.checkRoot(kind, root); err != nil {
		return err
	}
	if err := checkOp[T](c, kind, o); err != nil {
		return err
	}
	vector := send
	if c.rank != root {
		recv = nil
	} else if err := checkVectors(kind, send, recv); err != nil {
		return err
	} else {
		vector = recv
	}
	c.begin(kind, size[T](), len(vector)*size[T](), raw(send), raw(recv))
	c.shape.Root, c.shape.InPlace = root, c.rank == root && send == nil
	c.reduces(o)
	return nil
}

// Allreduce is Reduce with the result in recv of every rank. If send is nil, this rank's vector is
// in recv (in place).
func Allreduce[T Type](c *Comm, send, recv []T, o *op.Op) error {
	return c.do(vectors(c, schedule.Allreduce, send, recv, o))
}

// Iallreduce starts an Allreduce.
func Iallreduce[T Type](c *Comm, send, recv []T, o *op.Op) (Request, error) {
	return c.start(vectors(c, schedule.Allreduce, send, recv, o))
}

// Scan combines, on every rank, the vectors of the ranks up to and including it (inclusive prefix
// reduction). If send is nil, this rank's vector is in recv (in place).
func Scan[T Type](c *Comm, send, recv []T, o *op.Op) error {
	return c.do(vectors(c, schedule.Scan, send, recv, o))
}

// Iscan starts a Scan.
func Iscan[T Type](c *Comm, send, recv []T, o *op.Op) (Request, error) {
	return c.start(vectors(c, schedule.Scan, send, recv, o))
}

// Exscan combines, on every rank, the vectors of the ranks before it (exclusive prefix reduction),
// and leaves recv of rank 0 unchanged. If send is nil, this rank's vector is in recv (in place).
func Exscan[T Type](c *Comm, send, recv []T, o *op.Op) error {
	return c.do(vectors(c, schedule.Exscan, send, recv, o))
}

// Iexscan starts an Exscan.
func Iexscan[T Type](c *Comm, send, recv []T, o *op.Op) (Request, error) {
	return c.start(vectors(c, schedule.Exscan, send, recv, o))
}

// vectors describes a reduction whose vectors have the same length on all ranks.
func vectors[T Type](c *Comm, kind schedule.Kind, send, recv []T, o *op.Op) error {
	if err := checkOp[T](c, kind, o); err != nil {
		return err
	}
	if err := checkVectors(kind, send, recv); err != nil {
		return err
	}
	c.begin(kind, size[T](), len(recv)*size[T](), raw(send), raw(recv))
	c.shape.InPlace = send == nil
	c.reduces(o)
	return nil
}

// ReduceScatter combines the vectors of all ranks and scatters the result: counts[i] contiguous
// elements for rank i. If send is nil, this rank's vector is in recv (in place); recv is then as
// long as the vector, the result is in its first elements, and the rest is undefined.
func ReduceScatter[T Type](c *Comm, send, recv []T, counts []int, o *op.Op) error {
	return c.do(reduceScatter(c, send, recv, counts, o))
}

// IreduceScatter starts a ReduceScatter.
func IreduceScatter[T Type](c *Comm, send, recv []T, counts []int, o *op.Op) (Request, error) {
	return c.start(reduceScatter(c, send, recv, counts, o))
}

func reduceScatter[T Type](c *Comm, send, recv []T, counts []int, o *op.Op) error {
	const kind = schedule.ReduceScatter
	if err := checkOp[T](c, kind, o); err != nil {
		return err
	}
	blocks, total, err := c.cut(kind, 0, counts, nil, size[T](), -1)
	if err != nil {
		return err
	}
	if send == nil {
		err = checkLength(kind, "recv", len(recv), total, "the sum of the counts")
	} else if err = checkLength(kind, "send", len(send), total, "the sum of the counts"); err == nil {
		err = checkLength(kind, "recv", len(recv), counts[c.rank], "the count of this rank")
	}
	if err != nil {
		return err
	}
	c.begin(kind, size[T](), 0, raw(send), raw(recv))
	c.shape.InPlace, c.shape.SendBlocks = send == nil, blocks
	c.reduces(o)
	return nil
}

// ReduceScatterBlock is ReduceScatter with equally many elements for each rank.
func ReduceScatterBlock[T Type](c *Comm, send, recv []T, o *op.Op) error {
	return c.do(reduceScatterBlock(c, send, recv, o))
}

// IreduceScatterBlock starts a ReduceScatterBlock.
func IreduceScatterBlock[T Type](c *Comm, send, recv []T, o *op.Op) (Request, error) {
	return c.start(reduceScatterBlock(c, send, recv, o))
}

func reduceScatterBlock[T Type](c *Comm, send, recv []T, o *op.Op) error {
	const kind = schedule.ReduceScatter
	if err := checkOp[T](c, kind, o); err != nil {
		return err
	}
	block := len(recv)
	if send == nil {
		if err := c.checkDivides(kind, "recv", len(recv)); err != nil {
			return err
		}
		block /= len(c.world)
	} else if err := checkLength(kind, "send", len(send), block*len(c.world), "the length of recv for each rank"); err != nil {
		return err
	}
	c.begin(kind, size[T](), block*size[T](), raw(send), raw(recv))
	c.shape.InPlace = send == nil
	c.reduces(o)
	return nil
}
