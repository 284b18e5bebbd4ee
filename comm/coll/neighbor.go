package coll

import "gobench/comm/schedule"

// neighbors returns the algorithms of neighbourhood operations, which differ in their blocks only.
func neighbors() (list []Algorithm) {
	for _, kind := range []schedule.Kind{schedule.NeighborAllgather, schedule.NeighborAlltoall} {
		list = append(list,
			Algorithm{Name: "flat-nb", Kind: kind, Source: "MPI 4.1, section 8.6; MPICH, nb", About: "all exchanges with neighbours at once", Build: neighborhood(false)},
			Algorithm{Name: "flat-nb1", Kind: kind, Source: "as flat-nb1 of alltoall", About: "all receives posted, sends blocking", Build: neighborhood(true)},
		)
	}
	return list
}

// neighborhood returns the algorithm that receives from all sources and sends to all targets. What
// a rank sends to itself is copied.
func neighborhood(blocking bool) func(*schedule.Builder, int) {
	return func(b *schedule.Builder, _ int) {
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
}
