package host

import (
	"os"
	"strconv"
	"strings"
)

// tick is the unit of /proc/stat in seconds: USER_HZ is 100 on every architecture of Linux that
// Go runs on.
const tick = 0.01

// stolenField is the index of "steal" in a line of /proc/stat, counted after the name (proc(5)).
const stolenField = 8

// Stolen returns the steal time of a core in seconds since boot, in steps of 10 ms: the time in
// which the hypervisor ran other guests while this core had work. It is 0 if the kernel does not
// count it.
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
