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
	return c.do()
}

// Allreduce is Reduce whose result all ranks get. A nil send says that this
// rank's vector lies in recv (in place).
func Allreduce[T Type](c *Comm, send, recv []T, o *op.Op) error {
	if err := vectors(c, schedule.Allreduce, send, recv, o); err != nil {
		return err
	}
	return c.do()
}

// Iallreduce starts an Allreduce.
func Iallreduce[T Type](c *Comm, send, recv []T, o *op.Op) (Request, error) {
	if err := vectors(c, schedule.Allreduce, send, recv, o); err != nil {
		return Request{}, err
	}
	return c.start()
}

// Scan gives every rank the combined vectors of the ranks up to itself. A nil
// send says that this rank's vector lies in recv (in place).
func Scan[T Type](c *Comm, send, recv []T, o *op.Op) error {
	if err := vectors(c, schedule.Scan, send, recv, o); err != nil {
		return err
	}
	return c.do()
}

// Exscan gives every rank the combined vectors of the ranks before itself, and
// leaves recv of rank 0 as it is. A nil send says that this rank's vector lies in
// recv (in place).
func Exscan[T Type](c *Comm, send, recv []T, o *op.Op) error {
	if err := vectors(c, schedule.Exscan, send, recv, o); err != nil {
		return err
	}
	return c.do()
}

// vectors describes a reduction whose vectors are of one length on all ranks.
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
