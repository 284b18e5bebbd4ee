package coll

import "gobench/comm/schedule"

func reduceRing() Algorithm {
	return Algorithm{
		Name: "ring-gather", Kind: schedule.Reduce,
		Source: "F-MPJ table 1, BKTReduce_scatter+MSTGather",
		About:  "bucket reduce-scatter, then MST gather to the root",
		Fits:   commutes,
		Build: func(b *schedule.Builder, _ int) {
			parts, to := cut(b, b.Input(), b.Ranks), cut(b, b.RecvBuf(), b.Ranks)
			var mine schedule.Mem
			if b.Rank == b.Root {
				mine = to(b.Rank)
			} else {
				mine = b.Scratch(parts(b.Rank).Len)
			}
			ringReduceScatter(b, parts, mine)
			gatherParts(b, mine, to, cut(b, schedule.Mem{Len: b.Bytes}, b.Ranks))
		},
	}
}

func commutes(s *schedule.Shape) string {
	if !s.Commutative {
		return "it combines in another order than that of the ranks"
	}
	return ""
}

// gatherParts emits a gather of the parts of a vector to the root by a minimum spanning
// tree. shape gives the offsets and lengths of the parts on every rank.
func gatherParts(b *schedule.Builder, own schedule.Mem, to, shape layout) {
	steps := mst(b.Rank, b.Root, b.Ranks)
	at := to
	if b.Rank != b.Root {
		mine := steps[0]
		if len(mine.half) == 1 {
			b.Send(own, mine.root)
			return
		}
		first := shape(mine.half[0]).Off
		last := shape(mine.half[len(mine.half)-1])
		room := b.Scratch(last.Off + last.Len - first)
		at = func(rank int) schedule.Mem {
			m := shape(rank)
			return room.At(m.Off-first, m.Len)
		}
	}
	b.Copy(at(b.Rank), own)
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		m, _ := sideBySide(at, s.half) // parts of one vector always are
		if b.Rank == s.other {
			b.Send(m, s.root)
			return
		}
		b.Recv(m, s.other)
	}
}
