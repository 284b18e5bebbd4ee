package host

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// NIC is a network interface that is up.
type NIC struct {
	Name   string `json:"name"`
	Kind   string `json:"kind,omitempty"` // of a virtual one: "veth", "bridge", "vlan"
	Driver string `json:"driver,omitempty"`
	MTU    *int64 `json:"mtu_B,omitempty"`
	Rate   *int64 `json:"rate_bit_per_s,omitempty"` // absent if the driver does not report it, as most virtual ones
	Node   *int64 `json:"numa_node,omitempty"`
	// Fabric is the link of an RDMA port: "InfiniBand" or "Ethernet" (RoCE).
	Fabric string `json:"fabric,omitempty"`
	// Access describes the access of a virtual machine to the NIC: "emulated", "paravirtual",
	// "sr-iov" (a virtual function of a NIC of the physical machine) or "passthrough" (a whole
	// NIC). On a physical machine it is "sr-iov" or absent.
	Access   string    `json:"access,omitempty"`
	Firmware string    `json:"firmware,omitempty"`
	PCIe     *PCIe     `json:"pcie,omitempty"`
	Queues   int       `json:"queues,omitempty"` // in use, each with an interrupt
	IRQCores string    `json:"irq_cores,omitempty"`
	Coalesce *Coalesce `json:"coalesce,omitempty"`
	Rings    *Rings    `json:"rings,omitempty"`
	Offloads string    `json:"offloads,omitempty"` // switched on: "rx-csum tx-csum tso gso gro lro"
}

// PCIe describes the link between a NIC and its host: its lanes and the transfers per second of
// each, in use and at most.
type PCIe struct {
	Lanes    int64   `json:"lanes"`
	Rate     float64 `json:"rate_GTps"`
	MaxLanes int64   `json:"most_lanes,omitempty"`
	MaxRate  float64 `json:"most_rate_GTps,omitempty"`
}

// Coalesce holds the times and the numbers of frames after which a NIC interrupts; 0 = none.
type Coalesce struct {
	Rx       uint32 `json:"rx_us"`
	RxFrames uint32 `json:"rx_frames"`
	Tx       uint32 `json:"tx_us"`
	TxFrames uint32 `json:"tx_frames"`
	Adaptive bool   `json:"adaptive_rx,omitempty"`
}

// Rings holds the numbers of descriptors in a receive and a send queue, and the greatest possible
// ones.
type Rings struct {
	Rx    uint32 `json:"rx"`
	Tx    uint32 `json:"tx"`
	MaxRx uint32 `json:"most_rx,omitempty"`
	MaxTx uint32 `json:"most_tx,omitempty"`
}

// readNICs lists Ethernet interfaces and RDMA ports.
func readNICs(t tree) []NIC {
	var nics []NIC
	const net = "sys/class/net"
	for _, name := range t.names(net) {
		dir := path.Join(net, name)
		if t.text(dir+"/operstate") == "down" || t.text(dir+"/mtu") == "" {
			continue
		}
		nic := NIC{Name: name, MTU: t.number(dir + "/mtu"), Node: t.node(dir), Driver: t.target(dir + "/device/driver")}
		if mbit := t.number(dir + "/speed"); mbit != nil && *mbit > 0 { // -1: unknown
			rate := *mbit * 1e6
			nic.Rate = &rate
		}
		nic.device(t, dir, t.text("proc/interrupts"))
		nics = append(nics, nic)
	}
	const rdma = "sys/class/infiniband"
	for _, name := range t.names(rdma) {
		for _, port := range sorted(t.numbered(path.Join(rdma, name, "ports"), "")) {
			if state := t.text(port + "/state"); state != "" && !strings.HasSuffix(state, "ACTIVE") {
				continue
			}
			nic := NIC{
				Name:   name + "/" + path.Base(port),
				Driver: t.target(path.Join(rdma, name, "device/driver")),
				Rate:   gigabits(t.text(port + "/rate")),
				Node:   t.node(path.Join(rdma, name)),
				Fabric: t.text(port + "/link_layer"),
			}
			nic.device(t, path.Join(rdma, name), "")
			nics = append(nics, nic)
		}
	}
	return nics
}

// node returns the NUMA node of a device, nil if it has no node (-1).
func (t tree) node(dir string) *int64 {
	if n := t.number(dir + "/device/numa_node"); n != nil && *n >= 0 {
		return n
	}
	return nil
}

// target returns the last element of the path in a symbolic link, "" if there is no link.
func (t tree) target(name string) string {
	to, err := fs.ReadLink(t.FS, name)
	if err != nil {
		return ""
	}
	return path.Base(to)
}

// gigabits reads "100 Gb/sec (4X EDR)" or "2.5 Gb/sec" as bit/s.
func gigabits(s string) *int64 {
	number, _, found := strings.Cut(s, " Gb/sec")
	rate, err := strconv.ParseFloat(number, 64)
	if !found || err != nil {
		return nil
	}
	bits := int64(rate * 1e9)
	return &bits
}
