package host

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/netif"
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
	Access   string          `json:"access,omitempty"`
	Firmware string          `json:"firmware,omitempty"`
	PCIe     *PCIe           `json:"pcie,omitempty"`
	Queues   int             `json:"queues,omitempty"` // in use, each with an interrupt
	IRQCores string          `json:"irq_cores,omitempty"`
	Coalesce *netif.Coalesce `json:"coalesce,omitempty"`
	Rings    *netif.Rings    `json:"rings,omitempty"`
	Offloads string          `json:"offloads,omitempty"` // switched on: "rx-csum tx-csum tso gso gro lro"
}

// PCIe describes the link between a NIC and its host: its lanes and the transfers per second of
// each, in use and at most.
type PCIe struct {
	Lanes    int64   `json:"lanes"`
	Rate     float64 `json:"rate_GTps"`
	MaxLanes int64   `json:"most_lanes,omitempty"`
	MaxRate  float64 `json:"most_rate_GTps,omitempty"`
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

// device reads the facts of the hardware from the dir of a network interface or an RDMA device.
// interrupts is the text of /proc/interrupts.
func (n *NIC) device(t tree, dir, interrupts string) {
	device := dir + "/device"
	n.PCIe = readPCIe(t, device)
	n.Access = access(t, device, n.Driver)
	n.IRQCores = irqCores(t, device, interrupts)
}

func readPCIe(t tree, device string) *PCIe {
	rate := func(name string) float64 {
		number, _, _ := strings.Cut(t.text(device+"/"+name), " ") // "16.0 GT/s PCIe"
		x, _ := strconv.ParseFloat(number, 64)
		return x
	}
	lanes := func(name string) int64 {
		if n := t.number(device + "/" + name); n != nil && *n > 0 && *n <= 32 { // 255: not known
			return *n
		}
		return 0
	}
	p := PCIe{lanes("current_link_width"), rate("current_link_speed"), lanes("max_link_width"), rate("max_link_speed")}
	if p.Lanes == 0 || p.Rate == 0 {
		return nil
	}
	return &p
}

// paravirtual lists drivers of NICs that only connect a guest with its hypervisor.
var paravirtual = []string{"virtio_net", "vif", "xen_netfront", "hv_netvsc", "vmxnet3", "ibmveth", "gve"}

// emulated lists drivers of old NICs, which are always emulated in a guest.
var emulated = []string{"e1000", "8139cp", "8139too", "pcnet32", "ne2k-pci", "tulip"}

// functions lists drivers of virtual functions (SR-IOV), through which guests use a part of a NIC.
var functions = []string{"igbvf", "ixgbevf", "iavf", "i40evf", "fm10k", "ena", "efa", "mana", "hinicvf", "cxgb4vf"}

// mellanoxFunctions lists the PCI devices of virtual functions of NICs whose driver is the same for
// both: ConnectX-3 to 7 and BlueField.
var mellanoxFunctions = []string{"0x1002", "0x1004", "0x1012", "0x1014", "0x1016", "0x1018", "0x101a", "0x101c", "0x101e", "0xa2d3"}

// makers lists the PCI subsystem vendors of emulated devices: QEMU, VMware, VirtualBox, Microsoft.
var makers = []string{"0x1af4", "0x15ad", "0x80ee", "0x1414"}

// access returns the value of NIC.Access.
func access(t tree, device, driver string) string {
	if t.target(device+"/physfn") != "" {
		return "sr-iov"
	}
	guest := readHypervisor(t)
	switch {
	case slices.Contains(paravirtual, driver):
		return "paravirtual"
	case driver == "" || guest == "" || guest == "none":
		return ""
	case slices.Contains(emulated, driver), slices.Contains(makers, t.text(device+"/subsystem_vendor")):
		return "emulated"
	case slices.Contains(functions, driver), t.text(device+"/vendor") == "0x15b3" && slices.Contains(mellanoxFunctions, t.text(device+"/device")):
		return "sr-iov"
	}
	return "passthrough"
}

// irqCores returns the cores on which the interrupts of a device are handled, such as "0-7".
func irqCores(t tree, device, interrupts string) string {
	numbers := t.names(device + "/msi_irqs")
	name := t.target(device) // of a virtual bus: virtio2
	if len(numbers) == 0 && name != "" {
		for number, rest := range fields(interrupts) {
			if slices.ContainsFunc(strings.Fields(rest), func(word string) bool { return word == name || strings.HasPrefix(word, name+"-") }) {
				numbers = append(numbers, number)
			}
		}
	}
	var cores []int
	for _, number := range numbers {
		dir := "proc/irq/" + number
		list := t.cores(dir + "/effective_affinity_list")
		if list == nil {
			list = t.cores(dir + "/smp_affinity_list")
		}
		cores = append(cores, list...)
	}
	if cores == nil {
		return ""
	}
	slices.Sort(cores)
	return FormatCores(slices.Compact(cores))
}

// offloads maps feature names of the kernel to the names that ethtool prints.
var offloads = []struct{ feature, name string }{
	{"rx-checksum", "rx-csum"}, {"tx-checksum-", "tx-csum"}, {"tx-tcp-segmentation", "tso"}, {"tx-tcp6-segmentation", "tso"},
	{"tx-generic-segmentation", "gso"}, {"rx-gro", "gro"}, {"rx-lro", "lro"},
}

// askDrivers adds the facts that drivers report by ioctl, and removes those of containers.
func askDrivers(nics []NIC) []NIC {
	interfaces, err := netif.List()
	if err != nil {
		return nics
	}
	tool, err := netif.OpenTool()
	if err != nil {
		return nics
	}
	defer tool.Close()
	var kept []NIC
	for _, n := range nics {
		i := slices.IndexFunc(interfaces, func(i netif.Interface) bool { return i.Name == n.Name })
		if i < 0 || interfaces[i].Loopback {
			kept = append(kept, n)
			continue
		}
		if interfaces[i].Internal && interfaces[i].Master != "" { // a host of containers has hundreds
			continue
		}
		n.Kind = interfaces[i].Kind
		n.Firmware, n.Queues = tool.Firmware(n.Name), tool.Queues(n.Name)
		n.Coalesce, n.Rings = tool.Coalesce(n.Name), tool.Rings(n.Name)
		n.Offloads = known(tool.Features(n.Name))
		kept = append(kept, n)
	}
	return kept
}

// known returns the names in offloads of the given features, which affect throughput and latency.
func known(features []string) string {
	var names []string
	for _, o := range offloads {
		on := slices.ContainsFunc(features, func(f string) bool {
			return f == o.feature || strings.HasSuffix(o.feature, "-") && strings.HasPrefix(f, o.feature)
		})
		if on && !slices.Contains(names, o.name) {
			names = append(names, o.name)
		}
	}
	return strings.Join(names, " ")
}
