package comm

import (
	"gobench/comm/op"
	"gobench/comm/schedule"
)

// Reduce combines the vectors of all ranks, element by element and in the order
// of the ranks, into the root's recv. All vectors are of the same length. recv
// means nothing elsewhere. A nil send at the root says that its vector lies in
// recv (in place).
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

// Allreduce is Reduce whose result all ranks get. A nil send says that this
// rank's vector lies in recv (in place).
func Allreduce[T Type](c *Comm, send, recv []T, o *op.Op) error {
	return c.do(vectors(c, schedule.Allreduce, send, recv, o))
}

// Iallreduce starts an Allreduce.
func Iallreduce[T Type](c *Comm, send, recv []T, o *op.Op) (Request, error) {
	return c.start(vectors(c, schedule.Allreduce, send, recv, o))
}

// Scan gives every rank the combined vectors of the ranks up to itself. With a nil
// send this rank's vector is in recv (in place).
func Scan[T Type](c *Comm, send, recv []T, o *op.Op) error {
	return c.do(vectors(c, schedule.Scan, send, recv, o))
}

// Iscan starts a Scan.
func Iscan[T Type](c *Comm, send, recv []T, o *op.Op) (Request, error) {
	return c.start(vectors(c, schedule.Scan, send, recv, o))
}

// Exscan gives every rank the combined vectors of the ranks before itself, and
// leaves recv of rank 0 as it is. A nil send says that this rank's vector lies in
// recv (in place).
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
