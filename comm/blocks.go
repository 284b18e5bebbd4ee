package comm

import (
	"fmt"

	"gobench/comm/schedule"
)

// maxBytes bounds the total size of blocks: above any memory size and far below overflow.
const maxBytes = 1 << 46

// cut fills c.blocks[which] with the blocks of a vector form, as function cut does, and returns
// them and the sum of the counts.
func (c *Comm) cut(kind schedule.Kind, which int, counts, displs []int, elem, room int) ([]schedule.Block, int, error) {
	if c.blocks[which] == nil {
		c.blocks[which] = make([]schedule.Block, len(c.world))
	}
	total, err := cut(kind, "rank", c.blocks[which], counts, displs, elem, room)
	return c.blocks[which], total, err
}

// cut fills in the blocks of a vector form, one for each rank, or as of names it. counts and displs
// are the caller's, in elements; with nil displs the blocks are contiguous. room is the length of
// the buffer that holds them, or -1 on ranks without one, where offsets are not used. It returns
// the sum of the counts.
func cut(kind schedule.Kind, of string, blocks []schedule.Block, counts, displs []int, elem, room int) (total int, err error) {
	if err := checkLength(kind, "counts", len(counts), len(blocks), "the number of "+of+"s"); err != nil {
		return 0, err
	}
	if displs != nil && room >= 0 {
		if err := checkLength(kind, "displs", len(displs), len(blocks), "the number of "+of+"s"); err != nil {
			return 0, err
		}
	} else {
		displs = nil
	}
	for i, n := range counts {
		off := total
		if displs != nil {
			off = displs[i]
		}
		switch {
		case n > maxBytes/elem-total:
			return 0, &ArgumentError{kind.String(), fmt.Sprintf("the count of %s %d", of, i), n, "a sum of counts that fits into memory"}
		case n < 0:
			return 0, &ArgumentError{kind.String(), fmt.Sprintf("the count of %s %d", of, i), n, "0 or more"}
		case off < 0:
			return 0, &ArgumentError{kind.String(), fmt.Sprintf("the displacement of %s %d", of, i), off, "0 or more"}
		case room >= 0 && n > 0 && (off > room || n > room-off):
			return 0, &ArgumentError{kind.String(), "the length of the buffer", room, fmt.Sprintf("at least %d, where the block of %s %d ends", off+n, of, i)}
		}
		if n == 0 && displs != nil {
			off = 0 // the displacement of an empty block is ignored
		}
		blocks[i] = schedule.Block{Off: off * elem, Len: n * elem}
		total += n
	}
	return total, nil
}
