package bench

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
)

// CheckMemory returns a *MemoryError for the first cell whose buffers would
// need more memory than this host has available for localRanks ranks.
func (p Plan) CheckMemory(localRanks int) error {
	return p.fits(localRanks, AvailableMemory())
}

func (p Plan) fits(localRanks int, available int64) error {
	cache := LastCache()
	for _, c := range p.Cells {
		members := c.members(localRanks)
		buffers := c.Bench.Buffers(members) * c.copies(members, cache)
		need := float64(c.Size) * float64(buffers) * float64(localRanks)
		if need > float64(available) {
			return &MemoryError{
				Bench: c.Bench.Name, Size: c.Size, Buffers: buffers, Ranks: localRanks,
				Need: int64(min(need, math.MaxInt64/2)), Available: available,
			}
		}
	}
	return nil
}

// AvailableMemory is what this process could still use, in bytes: the kernel's estimate
// (MemAvailable), or less where a control group sets a limit. It is MaxInt64
// where nothing is known.
func AvailableMemory() int64 {
	available := int64(math.MaxInt64)
	if b, err := os.ReadFile("/proc/meminfo"); err == nil {
		available = memAvailable(b)
	}
	for _, group := range [][2]string{
		{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
		{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
	} {
		limit, err1 := readInt(group[0])
		used, err2 := readInt(group[1])
		if err1 == nil && err2 == nil {
			available = min(available, max(0, limit-used))
		}
	}
	return available
}

// memAvailable reads the line "MemAvailable:   12345 kB" of /proc/meminfo.
func memAvailable(meminfo []byte) int64 {
	lines := bufio.NewScanner(bytes.NewReader(meminfo))
	for lines.Scan() {
		if f := strings.Fields(lines.Text()); len(f) >= 2 && f[0] == "MemAvailable:" {
			if kib, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				return kib << 10
			}
		}
	}
	return math.MaxInt64
}

func readInt(file string) (int64, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
}
