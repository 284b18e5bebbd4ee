package pairwise

import (
	"errors"
	"slices"

	"gobench/comm"
	"gobench/comm/coll"
	"gobench/comm/op"
	"gobench/comm/schedule"
	"gobench/device"
	"gobench/record"
	"gobench/stats"
)

// allreduce measures allreduce of 8 bytes among the hosts of a meeting. An operation takes until
// its slowest rank has the result; with an interval all ranks count from its intended start.
func (d *done) allreduce(dev device.Device, m *meeting, o pairOrder) (err error) {
	world, err := comm.World(dev, comm.Options{Coll: coll.Options{Hosts: m.Hosts()}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, world.Close()) }()
	d.Phase = small
	s := newSession(dev, o)
	begun, over := s.now(), []int64{0} // the number of ranks whose time is over
	err = s.paced(1, func(last bool) (bool, error) {
		over[0] = 0
		if last {
			over[0] = 1
		}
		err := comm.Allreduce(world, nil, over, op.Sum[int64]())
		return over[0] > 0, err
	})
	if err != nil {
		return err
	}
	slowest := make([]float64, maxTrips) // as long on all ranks
	copy(slowest, s.trips)
	if err := comm.Allreduce(world, nil, slowest, op.Max[float64]()); err != nil {
		return err
	}
	s.trips = slices.DeleteFunc(slowest, func(t float64) bool { return t == 0 })
	d.Allreduce, d.Phase = summary(s.trips), ""
	if s.first {
		s.record(d, begun, "allreduce", smallSize, "local_s", record.Times(stats.Summarize(s.trips), false), "time from the intended start of an operation until the slowest rank has the result")
	}
	for i := range d.Points {
		p := &d.Points[i]
		p.Level, p.Algorithm = "comm", world.Algorithm(schedule.Allreduce)
	}
	return nil
}
