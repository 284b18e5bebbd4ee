package coll

import "gobench/comm/schedule"

// flatScan receives from all ranks before, in rank order, then sends to all ranks after.
func flatScan(b *schedule.Builder) {
	own := ownVector(b)
	if b.Rank > 0 {
		b.Recv(b.RecvBuf(), 0)
		sum := accumulate(b, b.RecvBuf(), b.RecvBuf())
		for peer := 1; peer < b.Rank; peer++ {
			m := sum.incoming()
			b.Recv(m, peer)
			sum.combine(m, false)
		}
		if b.Kind == schedule.Scan {
			sum.combine(own, false)
		}
	} else if b.Kind == schedule.Scan {
		b.Copy(b.RecvBuf(), own)
	}
	for peer := b.Rank + 1; peer < b.Ranks; peer++ {
		b.Send(own, peer)
	}
}
