package verbs

import (
	"gobench/device"
	"gobench/device/protocol"
	"gobench/transports/native"
)

const name = "ibv"

// ibvDriver is the driver under its names. In a build with verbs it implements device.Describer,
// too.
type ibvDriver struct{ native.WireDriver }

// Aliases implements device.Aliaser.
func (*ibvDriver) Aliases() []string { return []string{"verbs"} }

var driver = &ibvDriver{native.WireDriver{Driver: native.Driver{
	Transport: name,
	Summary:   "RDMA by verbs: InfiniBand, RoCE and iWARP",
	Library:   "verbs", Needs: "gcc, libibverbs-dev and librdmacm-dev", Target: "build-verbs",
	Lacks:    func() string { return noDevice(hcas(sysfs)) },
	Declared: append(declared(), protocol.Options()...),
}}}

func init() { device.Register(driver) }

func unavailable(reason, remedy string) error {
	return &device.UnavailableError{Transport: name, Reason: reason, Remedy: remedy}
}
