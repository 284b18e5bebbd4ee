package decorator

import "gobench/device"

// corruptLinker is a corrupted channel that runs loops below Send and Recv.
type corruptLinker struct {
	device.Channel
	inner device.Linker
	hook  *corrupt
}

func (w corruptLinker) Native() bool { return w.inner.Native() }

func (w corruptLinker) PingPong(out, in []byte, peer, k int, first bool, stamps *device.Stamps) error {
	err := w.inner.PingPong(out, in, peer, k, first, stamps)
	if w.hook.several(k) && err == nil {
		damage(in)
	}
	return err
}

func (w corruptLinker) Link(peer int, out, in []byte) (device.Link, error) {
	l, err := w.inner.Link(peer, out, in)
	if err != nil {
		return nil, err
	}
	return corruptLink{l, w.hook, out, in}, nil
}

type corruptLink struct {
	device.Link
	hook    *corrupt
	out, in []byte
}

// Put damages out for the time of the call, because the rank that it is written to makes no call.
func (l corruptLink) Put(rounds, each int, stamps *device.Stamps) error {
	if l.hook.several(rounds * each) {
		damage(l.out)
		defer damage(l.out) // flips the bit back
	}
	return l.Link.Put(rounds, each, stamps)
}

func (l corruptLink) Get(rounds, each int, stamps *device.Stamps) error {
	err := l.Link.Get(rounds, each, stamps)
	if l.hook.several(rounds*each) && err == nil {
		damage(l.out)
	}
	return err
}

func (l corruptLink) PutPong(k int, first bool, stamps *device.Stamps) error {
	err := l.Link.PutPong(k, first, stamps)
	if l.hook.several(k) && err == nil {
		damage(l.in[:len(l.in)-1]) // without the byte that counts rounds
	}
	return err
}
