//go:build verbs && cgo

package verbs

import (
	"fmt"
	"strings"

	"gobench/device"
	"gobench/transports/native"
	"gobench/transports/verbs/ibv"
)

// probe opens the library and looks for a device with an active port.
func probe(device.Options) error {
	if err := ibv.Load(); err != nil {
		return native.Unavailable(name, err, "libibverbs1 and ibverbs-providers")
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

// Describe implements device.Describer: it describes the devices that libibverbs finds.
func (*ibvDriver) Describe() []device.Feature {
	names, err := ibv.Devices()
	if err != nil {
		return nil
	}
	var list []device.Feature
	for _, h := range hcas(sysfs) {
		for _, name := range names {
			if name != h.name || h.foreign {
				continue
			}
			t, err := ibv.QueryTraits(name)
			if err != nil {
				list = append(list, device.Feature{Device: name, Name: "error", Value: err.Error()})
				continue
			}
			list = append(list, features(h, t)...)
		}
	}
	return list
}

// features describes what a device has beyond RC.
func features(h hca, t ibv.Traits) []device.Feature {
	none := func(list []string) string {
		if len(list) == 0 {
			return "none"
		}
		return strings.Join(list, ", ")
	}
	services := []string{"rc"}
	if !h.iwarp {
		services = append(services, "uc", "ud")
	}
	if t.XRC {
		services = append(services, "xrc")
	}
	multicast := "none"
	if t.Groups > 0 {
		multicast = fmt.Sprintf("%d groups, %d queue pairs in each", t.Groups, t.Members)
	}
	atomics := map[ibv.Atomicity]string{ibv.NoAtomics: "none", ibv.DeviceAtomics: "among operations of the device", ibv.GlobalAtomics: "among those of processors, too"}
	var offloads []string
	for _, o := range []struct {
		has  bool
		name string
	}{
		{t.Checksums, "checksums of IP over InfiniBand"}, {t.RawChecksums, "checksums of raw packets"},
		{t.Segmentation > 0, fmt.Sprintf("segmentation of TCP up to %d bytes", t.Segmentation)}, {t.Spreading, "receive-side scaling"},
		{t.Tags > 0, fmt.Sprintf("matching of %d tags", t.Tags)}, {t.Windows, "memory windows"}, {t.Paging, "on-demand paging"},
	} {
		if o.has {
			offloads = append(offloads, o.name)
		}
	}
	return []device.Feature{
		{Device: h.name, Name: "services", Value: none(services)},
		{Device: h.name, Name: "atomics", Value: atomics[t.Atomics]},
		{Device: h.name, Name: "multicast", Value: multicast},
		{Device: h.name, Name: "offloads", Value: none(offloads)},
	}
}
