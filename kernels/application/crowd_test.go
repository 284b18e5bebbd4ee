package application

import "testing"

func TestCrowdsAreSeen(t *testing.T) {
	at := func(system uint64, threads int, cores ...int) coreSet {
		p := coreSet{system, uint64(threads)}
		for _, core := range cores {
			p[2+core/64] |= 1 << (core % 64)
		}
		return p
	}
	for _, c := range []struct {
		name string
		sets []coreSet
		want string
	}{
		{"each its own", []coreSet{at(1, 1, 0), at(1, 1, 65)}, ""},
		{"wherever they like, with room", []coreSet{at(1, 1, 0, 1), at(1, 1, 0, 1)}, ""},
		{"two on one", []coreSet{at(1, 1, 3), at(1, 1, 3)}, "2 ranks share 1 core: times include waiting for a core"},
		{"four on two", []coreSet{at(1, 1, 0, 1), at(1, 1, 0, 1), at(1, 1, 0, 1), at(1, 1, 0, 1)}, "4 ranks share 2 cores: times include waiting for a core"},
		{"threads", []coreSet{at(1, 2, 0, 1), at(1, 2, 1, 2)}, "2 ranks with 4 threads share 3 cores: times include waiting for a core"},
		{"one rank", []coreSet{at(1, 2, 5)}, "1 rank with 2 threads share 1 core: times include waiting for a core"},
		{"the same cores of two systems", []coreSet{at(1, 1, 0), at(2, 1, 0)}, ""},
		{"the second system", []coreSet{at(1, 1, 0), at(2, 1, 0), at(2, 1, 0)}, "2 ranks share 1 core: times include waiting for a core"},
		{"nothing is told", []coreSet{at(1, 1), at(1, 1)}, ""},
	} {
		if got := crowded(c.sets); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
