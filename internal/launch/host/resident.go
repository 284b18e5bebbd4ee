package host

import (
	"fmt"
	"os"
)

// ResidentMemory returns the memory of this process that is in RAM, private and shared, in bytes; 0
// if the kernel does not report it.
func ResidentMemory() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
