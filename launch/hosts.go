package launch

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"gobench/launch/host"
)

// hostRanks lists the ranks on one host.
type hostRanks struct {
	name  string // as it was asked for
	ranks []int  // in ascending order
}

// formatHosts encodes the ranks of each host for the environment of a rank: "h1=0-3 h2=4,5".
func formatHosts(list []hostRanks) string {
	var parts []string
	for _, h := range list {
		parts = append(parts, h.name+"="+host.FormatCores(h.ranks))
	}
	return strings.Join(parts, " ")
}

// parseHosts returns the number of each rank's host, and the names of the hosts.
func parseHosts(text string, size int) (on []int, names []string, err error) {
	on = slices.Repeat([]int{-1}, size)
	for i, part := range strings.Fields(text) {
		name, list, _ := strings.Cut(part, "=")
		ranks, err := host.ParseCores(list)
		if err != nil {
			return nil, nil, err
		}
		names = append(names, name)
		for _, rank := range ranks {
			if rank < 0 || rank >= size || on[rank] >= 0 {
				return nil, nil, fmt.Errorf("rank %d of %d is there twice, or is none", rank, size)
			}
			on[rank] = i
		}
	}
	if missing := slices.Index(on, -1); missing >= 0 {
		return nil, nil, fmt.Errorf("rank %d is on no host", missing)
	}
	return on, names, nil
}

// identity returns a string that is equal for two processes if they can share memory and the
// loopback network. The host name does not show that, nor does the boot id: containers of one
// machine have the same boot id and may have separate /dev/shm.
func identity() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	id := strings.TrimSpace(string(boot))
	for _, space := range []string{"ipc", "net"} {
		var stat unix.Stat_t
		unix.Stat("/proc/self/ns/"+space, &stat)
		id += fmt.Sprintf(" %s:%d", space, stat.Ino)
	}
	var shm unix.Stat_t
	unix.Stat("/dev/shm", &shm)
	return id + fmt.Sprintf(" shm:%d", shm.Dev)
}
