package bench

import (
	"errors"
	"fmt"

	"gobench/device"
)

// Grouper is the ability of a channel to be divided: ranks with the same color are a channel
// of their own, in the order of key. All ranks call it. Closing such a channel
// leaves the whole one open.
type Grouper interface {
	Group(color, key int) (device.Channel, error)
}

// errNoGroups says that ranks cannot be divided.
var errNoGroups = errors.New("several groups at once need a channel that can be divided: use level comm")

// groups is the number of groups of equally many ranks that do the same at once.
func (c Cell) groups() int { return max(1, c.Groups) }

// members is the number of ranks of each group.
func (c Cell) members(ranks int) int { return ranks / c.groups() }

// checkGroups returns a *PlanError for groups that cannot be.
func (c Cell) checkGroups(ranks int) error {
	switch {
	case c.Groups < 0 || c.groups() > 1 && !c.Bench.Collective:
		return &PlanError{fmt.Sprintf("%s cannot run in %d groups", c.Bench.Name, c.Groups)}
	case ranks%c.groups() != 0:
		return &PlanError{fmt.Sprintf("%d ranks are not %d groups of equally many", ranks, c.Groups)}
	}
	return nil
}

// divide makes the channel of this rank's group for the cell: neighbours are in one group,
// as in IMB.
func (r *rank) divide() error {
	r.group = r.ch
	if r.cell.groups() == 1 {
		return nil
	}
	g, ok := r.ch.(Grouper)
	if !ok {
		return errNoGroups
	}
	members := r.cell.members(r.ch.Size())
	ch, err := g.Group(r.ch.Rank()/members, r.ch.Rank()%members)
	if err != nil {
		return err
	}
	r.group = ch
	return nil
}

// unite ends the groups of the cell.
func (r *rank) unite() error {
	if r.group == nil || r.group == r.ch {
		return nil
	}
	ch := r.group
	r.group = nil
	return ch.Close()
}
