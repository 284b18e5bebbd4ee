package coll

import (
	"slices"

	"gobench/comm/schedule"
	"gobench/device"
)

// libraryName is the name of the algorithms of the library under the device.
const libraryName = "mpi"

// libraries returns, for each operation, the algorithm that the library under the device
// (device.Collector) has chosen. Tables do not choose it, because it has not every operator.
func libraries() []Algorithm {
	var list []Algorithm
	for kind := range schedule.NeighborAllgather { // MPI has its own topologies for those
		list = append(list, Algorithm{
			Name: libraryName, Kind: kind, Library: true,
			Source: "the MPI library of the transport",
			About:  "what the MPI library itself does, over transport mpi",
			Fits:   equalBlocks,
		})
	}
	return list
}

// openGroup makes the group of the library at its first use, collectively. The result is the reason
// why there is none, which is the same on all ranks.
func (r *Runner) openGroup() (none string, err error) {
	if r.group != nil {
		return "", nil
	}
	c, ok := r.dev.(device.Collector)
	if !ok {
		return "transport " + r.transport + " is no library with collective operations", nil
	}
	ranks := r.world
	if ranks == nil {
		for rank := range r.ranks {
			ranks = append(ranks, rank)
		}
	}
	if !r.strict { // else all ranks have sent their arguments
		err = r.meet()
	}
	if err == nil {
		r.group, err = c.Group(r.context, ranks)
	}
	return "", err
}

// meet waits for all ranks and makes progress meanwhile, which a rank that waits in the library
// cannot do.
func (r *Runner) meet() error {
	s := schedule.Shape{Kind: schedule.Barrier, Ranks: r.ranks, Rank: r.rank, Elem: 1}
	choice := partTable.Choose("", &s, false)
	run := schedule.NewExecution(r.dev, r.context, r.world)
	run.Start(schedule.Build(s, func(b *schedule.Builder) { choice.Build(b, choice.Number) }), nil, nil, nil, r.tags.agree)
	for w := r.engine.waits(); ; r.engine.turn(w) {
		if done, err := run.Advance(false); done || err != nil {
			return err
		}
	}
}

// describe returns an operation in terms of the library, until the next call.
func (r *Runner) describe(c *schedule.Call) (*device.Collective, error) {
	s := c.Shape
	if c.Op != nil && !c.Op.Predefined() { // it may have the name of another
		return nil, &FitError{s.Kind, libraryName, "the operator is not predefined"}
	}
	r.collective = device.Collective{
		Operation: device.CollectiveOperation(s.Kind), Send: c.Send, Recv: c.Recv, Bytes: s.Bytes, Root: s.Root, InPlace: s.InPlace,
	}
	if c.Op != nil {
		r.collective.Operator, r.collective.Element = c.Op.Name, c.Op.Type
	}
	return &r.collective, nil
}

// doInLibrary runs a blocking operation.
func (r *Runner) doInLibrary(c *schedule.Call) error {
	d, err := r.describe(c)
	if err != nil {
		return err
	}
	err = r.group.Do(d)
	r.collective.Send, r.collective.Recv = nil, nil
	return err
}

// serves reports whether a blocking operation of the library has to be started and tested, so that
// this rank serves others meanwhile. MPI does not match an operation that one rank has started with
// one that another has called, so this depends only on what all ranks know alike: that the device
// has several owners, and the windows of all ranks of the communicator. What it does not depend on
// waits while a rank is in the library: windows of fewer ranks, and operations of other
// communicators.
func (r *Runner) serves() bool {
	return r.engine.many || slices.ContainsFunc(r.engine.live, func(t task) bool {
		for rank := range r.ranks {
			if r.world != nil {
				rank = r.world[rank]
			}
			if !t.Includes(rank) {
				return false
			}
		}
		return true
	})
}

// settle ends the operations of this communicator that are in progress. All ranks have started them
// before the operation that is called now, in which none of them makes progress.
func (r *Runner) settle() {
	for _, o := range r.pending.slots {
		if o.generation&1 == 1 {
			r.await(o)
		}
	}
}

// startInLibrary starts an operation.
func (o *operation) startInLibrary() error {
	r := o.r
	d, err := r.describe(&o.call)
	if err != nil {
		return err
	}
	o.request, err = r.group.Start(d)
	r.collective.Send, r.collective.Recv = nil, nil
	return err
}

// advanceInLibrary tests the request of the library, or waits for it.
func (o *operation) advanceInLibrary(block bool) (bool, error) {
	finished := true
	var err error
	if block {
		_, err = o.r.dev.Wait(o.request)
	} else {
		_, finished, err = o.r.dev.Test(o.request)
	}
	if finished || err != nil {
		o.request = 0
	}
	return finished, err
}
