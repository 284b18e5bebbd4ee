package comm

import (
	"fmt"

	"gobench/comm/schedule"
)

// maxBytes bounds the total size of blocks: above any memory size and far below overflow.
const maxBytes = 1 << 46

// cut fills c.blocks[which] with the blocks of a vector form. counts and displs are
// the caller's, in elements; with nil displs the blocks are contiguous. room is the
// length of the buffer that holds them, or -1 on ranks without one, where
// offsets are not used. It returns the blocks and the sum of the counts.
func (c *Comm) cut(kind schedule.Kind, which int, counts, displs []int, elem, room int) ([]schedule.Block, int, error) {
	if err := checkLength(kind, "counts", len(counts), len(c.world), "the number of ranks"); err != nil {
		return nil, 0, err
	}
	if displs != nil && room >= 0 {
		if err := checkLength(kind, "displs", len(displs), len(c.world), "the number of ranks"); err != nil {
			return nil, 0, err
		}
	} else {
		displs = nil
	}
	if c.blocks[which] == nil {
		c.blocks[which] = make([]schedule.Block, len(c.world))
	}
	blocks, total := c.blocks[which], 0
	for rank, n := range counts {
		off := total
		if displs != nil {
			off = displs[rank]
		}
		switch {
		case n > maxBytes/elem-total:
			return nil, 0, &ArgumentError{kind.String(), fmt.Sprintf("the count of rank %d", rank), n, "a sum of counts that fits into memory"}
		case n < 0:
			return nil, 0, &ArgumentError{kind.String(), fmt.Sprintf("the count of rank %d", rank), n, "0 or more"}
		case off < 0:
			return nil, 0, &ArgumentError{kind.String(), fmt.Sprintf("the displacement of rank %d", rank), off, "0 or more"}
		case room >= 0 && n > 0 && (off > room || n > room-off):
			return nil, 0, &ArgumentError{kind.String(), "the length of the buffer", room, fmt.Sprintf("at least %d, where the block of rank %d ends", off+n, rank)}
		}
		if n == 0 && displs != nil {
			off = 0 // the displacement of an empty block is ignored
		}
		blocks[rank] = schedule.Block{Off: off * elem, Len: n * elem}
		total += n
	}
	return blocks, total, nil
}
