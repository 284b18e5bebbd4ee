package clock

import (
	"os"
	"strings"
)

// source returns the names of the clock and the kernel's clock source: "CLOCK_MONOTONIC (tsc)".
func source() string {
	b, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	name := strings.TrimSpace(string(b))
	if err != nil || name == "" {
		return "CLOCK_MONOTONIC"
	}
	return "CLOCK_MONOTONIC (" + name + ")"
}
