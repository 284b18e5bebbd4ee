package comm

import (
	"cmp"
	"slices"

	"gobench/comm/op"
)

// Dup returns a communicator of the same ranks with its own context.
func (c *Comm) Dup() (*Comm, error) {
	context, err := c.agree()
	if err != nil {
		return nil, err
	}
	return newComm(c.job, c.options, context, slices.Clone(c.world), c.rank)
}

// Split partitions the ranks into communicators: one for each color, ordered by key and, for equal
// keys, by rank in c. A rank with a negative color (Undefined) gets nil.
func (c *Comm) Split(color, key int) (*Comm, error) {
	if err := c.checkIntra(); err != nil {
		return nil, err
	}
	const words = 3
	mine := [words]int64{int64(color), int64(key), int64(c.job.next)}
	all := make([]int64, words*len(c.world))
	if err := Allgather(c, mine[:], all); err != nil {
		return nil, err
	}
	next := int64(0)
	var members []member
	for rank := range c.world {
		m := all[words*rank:]
		next = max(next, m[2])
		if m[0] == int64(color) {
			members = append(members, member{m[1], rank})
		}
	}
	context, err := c.job.reserve(next)
	if err != nil || color < 0 {
		return nil, err
	}
	slices.SortFunc(members, func(a, b member) int { return cmp.Or(cmp.Compare(a.key, b.key), a.rank-b.rank) })
	world := make([]int, len(members))
	own := 0
	for i, m := range members {
		world[i] = c.world[m.rank]
		if m.rank == c.rank {
			own = i
		}
	}
	return newComm(c.job, c.options, context, world, own)
}

// member is a rank of the old communicator that belongs to the new one.
type member struct {
	key  int64
	rank int
}

// Create returns a communicator of a group of ranks of c, in the order of the group. All ranks of c
// call it with the same group; those outside get nil.
func (c *Comm) Create(g Group) (*Comm, error) {
	if err := c.checkIntra(); err != nil {
		return nil, err
	}
	mine := Undefined
	for i, w := range g.ranks {
		if !slices.Contains(c.world, w) {
			return nil, &ArgumentError{"create", "a rank of the group", w, "a rank of the communicator"}
		}
		if w == c.world[c.rank] {
			mine = i
		}
	}
	context, err := c.agree()
	if err != nil || mine == Undefined {
		return nil, err
	}
	return newComm(c.job, c.options, context, slices.Clone(g.ranks), mine)
}

// agree returns context ids that none of the ranks has used, the same on all ranks.
func (c *Comm) agree() (int32, error) {
	if err := c.checkIntra(); err != nil {
		return 0, err
	}
	next := [1]int64{int64(c.job.next)}
	if err := Allreduce(c, nil, next[:], op.Max[int64]()); err != nil {
		return 0, err
	}
	return c.job.reserve(next[0])
}

// reserve reserves the context ids from next on.
func (j *job) reserve(next int64) (int32, error) {
	if next > int64(j.last)-contexts {
		return 0, ErrContexts
	}
	j.next = int32(next) + contexts
	return int32(next), nil
}
