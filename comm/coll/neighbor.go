package coll

import "gobench/comm/schedule"

// neighbors returns the algorithms of neighbourhood operations, which differ in their blocks only.
func neighbors() (list []Algorithm) {
	for _, kind := range []schedule.Kind{schedule.NeighborAllgather, schedule.NeighborAlltoall} {
		algorithm := messages(kind)
		list = append(list,
			algorithm("flat-nb", "MPI 4.1, section 8.6; MPICH, nb", "all exchanges with neighbours at once", func(b *schedule.Builder) { neighborhood(b, false) }),
			algorithm("flat-nb1", "as flat-nb1 of alltoall", "all receives posted, sends blocking", func(b *schedule.Builder) { neighborhood(b, true) }),
		)
	}
	return list
}

// neighborhood emits the receives from all sources and the sends to all targets. What a rank sends
// to itself is copied.
func neighborhood(b *schedule.Builder, blocking bool) {
	var under []schedule.Slot
	var own []schedule.Mem
	for i, from := range b.Sources {
		if from == b.Rank {
			own = append(own, b.RecvBlock(i))
		} else {
			under = append(under, b.Irecv(b.RecvBlock(i), from))
		}
	}
	for i, to := range b.Targets {
		switch {
		case to == b.Rank:
			b.Copy(own[0], b.SendBlock(i))
			own = own[1:]
		case blocking:
			b.Send(b.SendBlock(i), to)
		default:
			under = append(under, b.Isend(b.SendBlock(i), to))
		}
	}
	b.Wait(under...)
}
