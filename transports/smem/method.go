package smem

import "gobench/device/protocol"

// Suggestions to the protocol, by measurement.
//
// Half round trip in us of ordinary memory on a 4-vCPU virtual machine (Zen 3),
// through the whole device path, median of interleaved runs:
//
//	                      32 KiB  64 KiB  128 KiB  256 KiB  1 MiB  4 MiB
//	near (< 100 ns)
//	  eager, pipeline        1.7     3.1      7.0     13.9     50    270
//	  split by CMA           4.7     6.5     10.1     18.7     64    328
//	far (> 200 ns)
//	  eager, pipeline        8.6    14.9       30       53    216    835
//	  split by CMA           6.2     8.5     12.0     20.5     67    293
//	  get by CMA             7.2    10.4        -       36    131      -
//
// A pipelined copy hands every cache line of the ring from core to core twice, so it is the
// best where that is cheap and the worst where it is dear; the kernel's copy
// has a start-up cost and hardly notices.
const (
	fragment      = 32 << 10
	eagerLimit    = 64 << 10
	farEagerLimit = 16 << 10

	// farLatency divides the two, in seconds for one cache line one way.
	farLatency = 120e-9
)

var methods = []protocol.Method{protocol.Get, protocol.Put, protocol.Split}

// methodFar is for ordinary memory of far peers.
func methodFar(int) protocol.Method { return protocol.Split }

// methodCrowd is for ordinary memory of near peers while messages of others are on
// their way. Then nobody is idle who could fill the ring while another empties it: one
// copy is better than two. Alltoall of four ranks on four processors, us:
//
//	          128 KiB  256 KiB  512 KiB  1 MiB  2 MiB  4 MiB
//	pipeline      116      152      590   1406   6690   8500
//	get by CMA     78      138      260    831   2160   8140
//	put by CMA     89      140      282    621   1750   4410
//	split by CMA   98      171      340    841   1940   4380
func methodCrowd(int) protocol.Method { return protocol.Put }

// Far implements protocol.Ranger: by the core latency measured last, and true
// where none was measured, because there ranks outnumber processors and every
// packet that the ring has no room for costs a switch of processes.
func (w *wire) Far(peer int) bool { return w.peers[peer].far }

// methodDirect is for ranks of one address space: one copy, half by each side.
func methodDirect(int) protocol.Method { return protocol.Split }

// Choose implements protocol.Chooser: memory from Alloc, which a peer maps, is
// copied once, by whoever can, or half by each side where both can.
func (w *wire) Choose(mine []byte, theirs protocol.Key, keyed bool) (protocol.Method, bool) {
	if len(w.regions) == 0 && !keyed || w.reach == reachDirect {
		return protocol.Pipeline, false
	}
	r, _ := w.regions.find(mine)
	switch there := keyed && uint32(theirs[0]) == keyRegion; {
	case r != nil && there:
		return protocol.Split, true
	case there:
		return protocol.Get, true
	case r != nil:
		return protocol.Put, true
	}
	return protocol.Pipeline, false
}
