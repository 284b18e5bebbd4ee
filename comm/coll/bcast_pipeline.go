package coll

import "gobench/comm/schedule"

// Pipelines: the vector travels in segments, so that a rank passes one on while
// the next arrives.

func bcastChain() Algorithm {
	return Algorithm{
		Name: "chain", Kind: schedule.Bcast,
		Source: "pipelined chain; Open MPI",
		About:  "segments from rank to rank",
		Param:  "the bytes of a segment", Default: 16 << 10, Values: []int{8 << 10, 32 << 10, 128 << 10},
		Build: func(b *schedule.Builder, bytes int) {
			pipelined(b, karyTree(b.Rank, b.Root, b.Ranks, 1), bytes)
		},
	}
}

func bcastBinary() Algorithm {
	return Algorithm{
		Name: "binary", Kind: schedule.Bcast,
		Source: "pipelined binary tree; Open MPI",
		About:  "segments down a tree with two children each",
		Param:  "the bytes of a segment", Default: 16 << 10, Values: []int{16 << 10, 64 << 10},
		Build: func(b *schedule.Builder, bytes int) {
			pipelined(b, karyTree(b.Rank, b.Root, b.Ranks, 2), bytes)
		},
	}
}

// pipelined emits a broadcast of a vector down a tree in segments: the next one is received while
// this one is sent.
func pipelined(b *schedule.Builder, t tree, bytes int) {
	list := segments(b, b.RecvBuf(), bytes)
	var arriving, sent []schedule.Slot
	if t.parent >= 0 {
		for _, m := range list {
			arriving = append(arriving, b.Irecv(m, t.parent))
		}
	}
	for i, m := range list {
		if arriving != nil {
			b.Wait(arriving[i])
		}
		for _, c := range t.children {
			sent = append(sent, b.Isend(m, c))
		}
	}
	b.Wait(sent...)
}
