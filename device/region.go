package device

import "cmp"

// A RegionAllocator is a Device whose network or library accesses memory of other ranks itself
// (one-sided): RDMA, or windows of MPI. Windows of package comm use it.
type RegionAllocator interface {
	Device
	// Regions reports whether this rank can take part in a region of ranks. It does not
	// communicate, and the answers of the ranks may differ.
	Regions(ranks []int) bool
	// AllocRegion allocates n zeroed bytes of this rank, collectively over ranks, which the region
	// numbers in this order. It is called if Regions has returned true on all of them. It uses
	// messages with context, which the region owns from then on. All ranks succeed or none: the
	// error is errors.ErrUnsupported on all of them where the library turns out to have no regions,
	// or a rank has no memory for one.
	AllocRegion(context int32, ranks []int, n int) (Region, error)
}

// A Region is memory of several ranks that all of them access. Targets are ranks of the region, and
// offsets and lengths are bytes within the memory of the target; the caller has checked them.
// It returns the errors of a Channel. A Region belongs to the goroutine that owns the device.
//
// Operations have no order. Flush alone completes them, because networks promise different orders:
// InfiniBand that of writes of one queue pair, but not of a read before a write (IBTA 1.4, 9.5),
// libfabric those that an endpoint declares (FI_ORDER_RMA_*, fi_endpoint(3)), UCX none without
// ucp_worker_fence or a flush, and MPI that of accumulations (MPI-4.0, 12.7.2). A message that is
// sent after a Flush arrives after the data.
//
// There are no atomic operations: networks have few of them, and those of the processor are not
// atomic beside them (IBTA 1.4, 9.4.5; MPI-4.0, 12.7.1 has it for one operator alone). All atomic
// operations of a window go one way, by messages.
type Region interface {
	// Bytes returns the memory of this rank, valid until Close.
	Bytes() []byte
	// Put copies data to the memory of target, Get from there. Until Flush the data belongs to the
	// region, and the caller keeps it alive. The error is errors.ErrUnsupported, and nothing is
	// done, where the network cannot access data.
	Put(data []byte, target, offset int) error
	Get(data []byte, target, offset int) error
	// Flush completes the operations of this rank on target, here and there.
	Flush(target int) error
	// Close frees the memory, collectively, after the last Flush of all ranks.
	Close() error
}

// Swap sends own to other ranks, and returns the messages of all ranks in their order, this rank
// among them. All ranks call it with the same ranks, and with messages of one length.
func Swap(c Channel, own []byte, ranks []int, tag, context int32) (all [][]byte, err error) {
	all, sends := make([][]byte, len(ranks)), make([]Request, len(ranks))
	for i, rank := range ranks {
		if rank == c.Rank() {
			all[i] = own
		} else if sends[i], err = c.Isend(own, rank, tag, context); err != nil {
			return nil, err
		}
	}
	for i, rank := range ranks {
		if rank == c.Rank() {
			continue
		}
		all[i] = make([]byte, len(own))
		if _, err = c.Recv(all[i], rank, tag, context); err != nil {
			return nil, err
		}
		if _, err = c.Wait(sends[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Ready is Agree by messages: either all ranks pass nil and return nil, or all return an error,
// their own or a *PeerError of one that failed.
func Ready(c Channel, failed error, ranks []int, context int32) error {
	own := []byte{0}
	if failed != nil {
		own[0] = 1
	}
	all, err := Swap(c, own, ranks, 0, context)
	for i, b := range all {
		if b[0] != 0 && err == nil {
			err = &PeerError{Rank: ranks[i], Cause: "it cannot take part"}
		}
	}
	return cmp.Or(failed, err)
}
