package protocol

import "gobench/device"

// Looper is the optional ability of a wire to exchange packets with a peer in a loop outside of Go.
type Looper interface {
	// Loops reports whether it is wanted.
	Loops() bool
	// Loop sends out and waits for in, turn and turn about, each a packet with header h, whose W1 grows
	// by credit with each packet received. It stops early when something else happens, which
	// the next Poll delivers, or when nothing does for a while. heard is W1 of the last packet received. A round of
	// stamps is over whenever as many sends as receives are left.
	Loop(peer int, h Header, credit uint64, out, in []byte, sends, receives int, sending bool, stamps *device.Stamps) (sent, received int, heard uint64)
}

// RawLoop is a Raw channel whose wire is a Looper.
type RawLoop struct {
	*Raw
	looper Looper
}

var _ device.PingPonger = RawLoop{}

// Looping returns the channel of a wire that is a Looper, in place of the Raw one.
func Looping(d *Raw, l Looper) RawLoop { return RawLoop{d, l} }

// PingPong implements device.PingPonger. What the loop cannot do, such as messages of more than one
// packet, goes as usual.
func (d RawLoop) PingPong(out, in []byte, peer, k int, first bool, stamps *device.Stamps) error {
	const tag, context = 0, 0
	sends, receives, sending := k, k, first
	for sends+receives > 0 {
		if d.loopable(out, in, peer) {
			p := &d.peers[peer]
			units := cost(len(out))
			h := p.flow.withCredit(header(kindEager, 0, 0, 0, uint64(len(out))))
			sent, received, heard := d.looper.Loop(peer, h, uint64(units)<<32, out, in, sends, receives, sending, stamps)
			sends, receives, sending = sends-sent, receives-received, sending != ((sent+received)&1 == 1)
			p.flow.spent += uint32(sent) * units
			p.flow.freed += uint32(received) * units
			if sent > 0 {
				p.flow.advertised = p.flow.freed
				if sending { // the last came after what was sent
					p.flow.advertised -= units
				}
			}
			if received > 0 && !p.flow.onCredit(uint32(heard>>32)) {
				d.Failed(peer, "it broke the protocol: a credit for what was never sent")
			}
			if sends+receives == 0 {
				return nil
			}
			if sent+received > 0 {
				continue
			}
		}
		// One step as usual, with whatever has come instead.
		if sending {
			if err := d.Send(out, peer, tag, context); err != nil {
				return err
			}
			sends--
		} else {
			if _, err := d.Recv(in, peer, tag, context); err != nil {
				return err
			}
			receives--
		}
		sending = !sending
		if sends == receives {
			stamps.Round()
		}
	}
	return nil
}

// loopable reports whether nothing but the exchange itself is under way with a peer.
func (d RawLoop) loopable(out, in []byte, peer int) bool {
	if d.closed || uint(peer) >= uint(d.size) || peer == d.rank || len(out) != len(in) || len(out) == 0 || len(out) > d.fragment {
		return false
	}
	p := &d.peers[peer]
	return d.peeker != nil && p.free() && d.idle(peer) && p.flow.room(cost(len(out)))
}
