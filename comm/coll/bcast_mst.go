package coll

import "gobench/comm/schedule"

// bcastMST halves the range of ranks: the root of a range sends to one rank of
// the half in which it is not, which becomes the root of that half. Depth is
// ceil(log2 P).
func bcastMST() Algorithm {
	return Algorithm{
		Name: "mst", Kind: schedule.Bcast,
		Source: "Chan, Heimlich, Purkayastha, van de Geijn 2007, MSTBcast; F-MPJ table 1",
		About:  "minimum spanning tree: halves the range of ranks",
		Build: func(b *schedule.Builder, _ int) {
			root, left, right := b.Root, 0, b.Ranks-1
			for left < right {
				middle := (left + right) / 2
				dest := left
				if root <= middle {
					dest = right
				}
				switch b.Rank {
				case root:
					b.Send(b.RecvBuf(), dest)
				case dest:
					b.Recv(b.RecvBuf(), root)
				}
				if b.Rank <= middle {
					right = middle
					if root > middle {
						root = dest
					}
				} else {
					left = middle + 1
					if root <= middle {
						root = dest
					}
				}
			}
		},
	}
}
