//go:build verbs && cgo

package verbs

import (
	"fmt"

	"gobench/transports/verbs/ibv"
)

// probe opens the library and looks for a device with an active port.
func probe() error {
	if err := ibv.Load(); err != nil {
		return unavailable(err.Error(), "install libibverbs1 and ibverbs-providers")
	}
	if why := noDevice(hcas(sysfs)); why != "" {
		return unavailable(why, "")
	}
	found, err := ibv.Devices()
	if err != nil {
		return unavailable(err.Error(), "load ib_uverbs")
	}
	if len(found) == 0 {
		return unavailable(fmt.Sprintf("libibverbs finds no device, though the kernel shows %d", len(hcas(sysfs))),
			"install ibverbs-providers, and see that /dev/infiniband/uverbs* may be opened")
	}
	return nil
}
