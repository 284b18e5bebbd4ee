package decorator

import "gobench/device"

// corruptLinker is a corrupted channel that runs loops below Send and Recv.
type corruptLinker struct {
	device.Channel
	inner device.Linker
	hook  *corrupt
}

func (w corruptLinker) Native() bool { return w.inner.Native() }

func (w corruptLinker) Offers(op device.LinkOperation) error { return w.inner.Offers(op) }

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
	return l.fetched(rounds*each, l.Link.Get(rounds, each, stamps))
}

func (l corruptLink) FetchAdd(rounds, each int, stamps *device.Stamps) error {
	return l.fetched(rounds*each, l.Link.FetchAdd(rounds, each, stamps))
}

func (l corruptLink) CompareSwap(rounds, each int, from uint64, stamps *device.Stamps) error {
	return l.fetched(rounds*each, l.Link.CompareSwap(rounds, each, from, stamps))
}

// fetched damages what n operations have written to out.
func (l corruptLink) fetched(n int, err error) error {
	if l.hook.several(n) && err == nil {
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
