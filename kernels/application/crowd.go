package application

import (
	"fmt"
	"hash/fnv"
	"math/bits"
	"os"

	"gobench/bench/team"
	"gobench/comm"
	"gobench/internal/human"
)

// A coreSet describes the cores that the threads of a rank may use: the ID of the operating system
// (see system), the number of threads, and a bit for each core.
type coreSet [2 + maxCores/64]uint64

// maxCores is the number of cores that a set can describe.
const maxCores = 1024

// system returns an ID of the running kernel, which is the same in all containers on a host
// because they share its cores.
func system() uint64 {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		name, _ := os.Hostname() // "" is the same for all
		b = []byte(name)
	}
	sum := fnv.New64a()
	sum.Write(b)
	return sum.Sum64()
}

// newCoreSet returns the set of cores of the threads of team.
func newCoreSet(team *team.Team) coreSet {
	p := coreSet{system(), uint64(team.Threads())}
	masks := make([][maxCores / 64]uint64, team.Threads())
	team.Run(func(thread int) { masks[thread] = allowed() })
	for _, mask := range masks {
		for i, word := range mask {
			p[2+i] |= word
		}
	}
	return p
}

// crowding returns a warning if the threads of all ranks outnumber the cores of a host, else "". It
// is collective and returns the same text on all ranks.
func crowding(world *comm.Comm, team *team.Team) (string, error) {
	own := newCoreSet(team)
	all := make([]uint64, len(own)*world.Size())
	if err := comm.Allgather(world, own[:], all); err != nil {
		return "", err
	}
	sets := make([]coreSet, world.Size())
	for rank := range sets {
		copy(sets[rank][:], all[rank*len(own):])
	}
	return crowded(sets), nil
}

// crowded describes the first host with more threads than cores, "" if there is none.
func crowded(sets []coreSet) string {
	for _, first := range sets {
		var ranks, threads, cores int
		var union coreSet
		for _, p := range sets {
			if p[0] != first[0] {
				continue
			}
			ranks, threads = ranks+1, threads+int(p[1])
			for i, word := range p[2:] {
				union[2+i] |= word
			}
		}
		for _, word := range union[2:] {
			cores += bits.OnesCount64(word)
		}
		if cores == 0 || threads <= cores { // 0: the affinity is unknown
			continue
		}
		who := human.Count(ranks, "rank", "ranks")
		if threads > ranks {
			who += fmt.Sprintf(" with %d threads", threads)
		}
		return fmt.Sprintf("%s share %s: times include waiting for a core", who, human.Count(cores, "core", "cores"))
	}
	return ""
}
