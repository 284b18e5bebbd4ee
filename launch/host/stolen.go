package host

import (
	"os"
	"strconv"
	"strings"
)

// tick is the unit of /proc/stat in seconds: USER_HZ is 100 on every architecture of Linux that
// Go runs on.
const tick = 0.01

// stolenField is the place of "steal" in a line of /proc/stat, behind the name (proc(5)).
const stolenField = 8

// Stolen returns the time in seconds since the start of this system in which the host of a
// virtual machine gave a core to others while something here wanted to run, in steps of 10 ms;
// 0 where the kernel does not count it.
func Stolen(core int) float64 {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	return stolen(string(stat), core)
}

func stolen(stat string, core int) float64 {
	name := "cpu" + strconv.Itoa(core)
	for line := range strings.Lines(stat) {
		fields := strings.Fields(line)
		if len(fields) > stolenField && fields[0] == name {
			ticks, err := strconv.ParseUint(fields[stolenField], 10, 63)
			if err != nil {
				return 0
			}
			return float64(ticks) * tick
		}
	}
	return 0
}
