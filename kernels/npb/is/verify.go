package is

import "gobench/comm"

// verify does the partial verification of a ranking, if the class has keys for it: each of the five
// test keys is looked up by the rank that has its bucket.
func (s *instance) verify(iteration int) {
	if s.size.drift == nil {
		return
	}
	keys := s.totals[1<<s.size.buckets:]
	lo, n := int64(s.counter.lo), int64(len(s.counter.counts))
	for i, k := range keys {
		if k < lo || k >= lo+n {
			continue
		}
		rank := s.share.before // number of keys below k
		if k > lo {
			rank += int64(s.counter.counts[k-1-lo])
		}
		if rank == s.size.ranks[i]+int64(s.size.drift(i, iteration)) {
			s.passed++
		}
	}
}

// nothing stands for the last key of a rank without keys.
const nothing = -1

// sorted sorts the keys of the share of this rank by their ranks and reports whether they are in
// order and none is below the keys of the ranks before it ("full verification").
func (s *instance) sorted() (bool, error) {
	n := 0
	for _, received := range s.fromCounts {
		n += received
	}
	order := make([]int32, n)
	c := s.counter
	right := true
	for rank, at := range s.fromAt {
		for _, k := range s.received[at : at+s.fromCounts[rank]] {
			i := uint(uint32(k - c.lo))
			if i >= uint(len(c.counts)) || c.counts[i]-1 >= uint32(n) {
				right = false
				continue
			}
			c.counts[i]--
			order[c.counts[i]] = k
		}
	}
	for i := 1; i < n; i++ {
		right = right && order[i-1] <= order[i]
	}
	me, ranks := s.rank.Comm.Rank(), s.rank.Comm.Size()
	below := [1]int32{nothing}
	if me > 0 {
		if _, err := comm.Recv(s.rank.Comm, below[:], me-1, 0); err != nil {
			return false, err
		}
	}
	if n > 0 {
		right = right && below[0] <= order[0]
		below[0] = order[n-1]
	}
	if me+1 < ranks {
		if err := comm.Send(s.rank.Comm, below[:], me+1, 0); err != nil {
			return false, err
		}
	}
	return right, nil
}

// fingerprint returns the sum of a hash (the finaliser of splitmix64) over the keys that this rank
// received, minus the sum over those that it drew. The sum over all ranks is 0 if every key arrived
// exactly once. The official verification checks five keys and the order. It does not detect a key
// that was replaced by another that fits in its place in the order.
func (s *instance) fingerprint() uint64 {
	var sum uint64
	for rank, at := range s.fromAt {
		for _, k := range s.received[at : at+s.fromCounts[rank]] {
			sum += mixed(k)
		}
	}
	for _, k := range s.keys {
		sum -= mixed(k)
	}
	return sum
}

func mixed(key int32) uint64 {
	z := uint64(uint32(key)) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
