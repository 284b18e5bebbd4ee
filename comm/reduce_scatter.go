package comm

import (
	"gobench/comm/op"
	"gobench/comm/schedule"
)

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
