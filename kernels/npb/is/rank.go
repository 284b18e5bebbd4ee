package is

import (
	"fmt"

	"gobench/comm"
	"gobench/comm/op"
	"gobench/kernels/application"
)

// share is the range of buckets of a rank: first to last, empty if last < first. before is the
// number of keys in lower buckets.
type share struct {
	first, last int
	before      int64
}

// rankKeys does one ranking ("rank"): afterwards counter.counts holds, for each key value of the
// share of this rank, the number of keys of the share that are not greater.
func (s *instance) rankKeys(iteration int) error {
	if s.rank.Comm.Rank() == 0 {
		at, keys := s.size.replaced(iteration)
		for i := range at {
			s.keys[at[i]] = keys[i]
		}
	}
	if s.order != asDrawn { // a single rank has all buckets, and counts only values
		s.sorter.count(s.keys)
	}
	if err := s.sumBuckets(); err != nil {
		return err
	}
	s.divide()
	switch s.order {
	case byRank:
		s.sorter.divide(s.firsts, s.toAt)
	case byGroup:
		s.sorter.scatter(s.firsts)
	}
	if err := s.exchange(); err != nil {
		return err
	}
	s.counter.count(s.received, s.fromAt, s.fromCounts, s.totals, s.share, &s.sorter.group)
	s.count(iteration)
	s.verify(iteration)
	return nil
}

// sumBuckets adds up the sizes of buckets over all ranks. The test keys are part of the same
// reduction, contributed by the ranks that have them.
func (s *instance) sumBuckets() error {
	n := 1 << s.size.buckets
	for b := range n {
		s.totals[b] = int64(s.sorter.sizes[b])
	}
	mine := int64(len(s.keys))
	for i, at := range s.size.test {
		s.totals[n+i] = 0
		if at/mine == int64(s.rank.Comm.Rank()) {
			s.totals[n+i] = int64(s.keys[at%mine])
		}
	}
	if s.rank.Comm.Size() == 1 {
		return nil
	}
	s.rank.Timers.Begin(application.Allreduce)
	s.rank.Profile.Collective(8 * len(s.totals))
	err := comm.Allreduce(s.rank.Comm, nil, s.totals, op.Sum[int64]())
	s.rank.Timers.Begin(application.Compute)
	return err
}

// divide assigns buckets to ranks in order: each rank gets buckets until all ranks up to it have at
// least their share of keys.
func (s *instance) divide() {
	if s.order == asDrawn {
		s.share = share{first: 0, last: 1<<s.size.buckets - 1}
		return
	}
	ranks, me := s.rank.Comm.Size(), s.rank.Comm.Rank()
	s.share = share{first: 1, last: 0}
	clear(s.toCounts)
	s.firsts[0] = 0
	rank, first, at, start := 0, 0, 0, 0
	var total, before int64
	for b := range 1 << s.size.buckets {
		total += s.totals[b]
		at += int(s.sorter.sizes[b])
		if rank < ranks && total >= int64(rank+1)*int64(len(s.keys)) {
			s.toCounts[rank], s.toAt[rank] = at-start, start+(rank+1)*s.sorter.apart
			if rank == me {
				s.share = share{first, b, before}
			}
			rank, first, start, before = rank+1, b+1, at, total
			if rank < ranks {
				s.firsts[rank] = first
			}
		}
	}
	for ; rank < ranks; rank++ {
		s.toAt[rank], s.firsts[rank] = at+(rank+1)*s.sorter.apart, 1<<s.size.buckets
	}
}

// exchange sends each rank the keys of its share.
func (s *instance) exchange() error {
	ranks := s.rank.Comm.Size()
	if ranks == 1 {
		s.fromAt[0], s.fromCounts[0] = s.toAt[0], len(s.keys) // the keys are in place
		return nil
	}
	s.rank.Timers.Begin(application.Alltoall)
	for i, n := range s.toCounts {
		s.sendCounts[i] = int32(n)
	}
	s.rank.Profile.Collective(4 * ranks)
	if err := comm.Alltoall(s.rank.Comm, s.sendCounts, s.receiveCounts); err != nil {
		return err
	}
	if err := s.plausible(); err != nil {
		return err
	}
	at := 0
	for i, n := range s.receiveCounts {
		s.fromAt[i], s.fromCounts[i] = at, int(n)
		at += int(n)
		if i != s.rank.Comm.Rank() {
			s.rank.Profile.Sent(i, 4*s.toCounts[i])
		}
	}
	if at > len(s.received) {
		return s.wrong("rank %d is to receive %d keys and has room for %d", s.rank.Comm.Rank(), at, len(s.received))
	}
	err := comm.Alltoallv(s.rank.Comm, s.sorter.out, s.toCounts, s.toAt, s.received, s.fromCounts, s.fromAt)
	s.rank.Timers.Begin(application.Compute)
	return err
}

// plausible checks received counts before they are used as lengths.
func (s *instance) plausible() error {
	for from, n := range s.receiveCounts {
		if n < 0 || int(n) > len(s.keys) {
			return s.wrong("rank %d has %d keys, and tells rank %d to receive %d of them", from, len(s.keys), s.rank.Comm.Rank(), n)
		}
	}
	return nil
}

func (s *instance) wrong(format string, args ...any) error {
	return &application.VerificationError{Program: "is", Ranks: s.rank.Comm.Size(), Wrong: fmt.Sprintf(format, args...)}
}
