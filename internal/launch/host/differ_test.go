package host

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestDifferences names what differs between hosts, and where.
func TestDifferences(t *testing.T) {
	rate, mtu, jumbo := int64(100e9), int64(1500), int64(9000)
	alike := func(name string) Facts {
		return Facts{
			Hostname: name, Kernel: "6.1.0", Clocksource: "tsc", CPU: CPU{Model: "Zen"}, Congestion: "cubic",
			NICs: []NIC{{Name: "eth0", Driver: "mlx5_core", Rate: &rate, MTU: &mtu}},
		}
	}
	if d := Differences([]Facts{alike("h1"), alike("h2")}); d != "" {
		t.Errorf("alike hosts: %q", d)
	}
	for want, change := range map[string]func(*Facts){
		"the hosts differ in kernel (6.1.0 on h1; 5.14.0 on h2)": func(f *Facts) { f.Kernel = "5.14.0" },
		"clock source (tsc on h1; hpet on h2)":                   func(f *Facts) { f.Clocksource = "hpet" },
		"CPU (Zen on h1; Xeon on h2)":                            func(f *Facts) { f.CPU.Model = "Xeon" },
		"libraries (none on h1; libibverbs.so.1.14 on h2)":       func(f *Facts) { f.Libraries = []string{"libibverbs.so.1.14"} },
		"limit of locked memory (none on h1; 9000 on h2)":        func(f *Facts) { f.Limits.Locked = &jumbo },
		"network (mlx5_core 100 Gbit/s MTU 1500 on h1; mlx5_core 100 Gbit/s MTU 9000 on h2)": func(f *Facts) {
			f.NICs = []NIC{{Name: "ens2", Driver: "mlx5_core", Rate: &rate, MTU: &jumbo}}
		},
		"number of cores that may be used (none on h1; 4 on h2)": func(f *Facts) { f.Limits.Cores = "2-5" },
		"congestion control (cubic on h1; bbr on h2)":            func(f *Facts) { f.Congestion = "bbr" },
	} {
		other := alike("h2")
		change(&other)
		if d := Differences([]Facts{alike("h1"), other}); !strings.Contains(d, want) {
			t.Errorf("%q, want %q", d, want)
		}
	}
	renamed := alike("h2")
	renamed.NICs = slices.Clone(renamed.NICs)
	renamed.NICs[0].Name = "ens2"
	if d := Differences([]Facts{alike("h1"), renamed}); d != "" {
		t.Errorf("another name of an interface: %q", d)
	}
	many := []Facts{alike("h1")}
	for _, name := range []string{"h2", "h3", "h4", "h5", "h6", "h7"} {
		f := alike(name)
		f.Kernel = "5.14.0"
		many = append(many, f)
	}
	if d := Differences(many); !strings.Contains(d, "5.14.0 on h[2-7]") {
		t.Errorf("%q", d)
	}
}

func TestDistance(t *testing.T) {
	top := readTopology(machine(t, "two-sockets"))
	at := func(id int) Core {
		return top.Cores[slices.IndexFunc(top.Cores, func(c Core) bool { return c.ID == id })]
	}
	sibling := slices.IndexFunc(top.Cores, func(c Core) bool { return c.ID != 0 && c.Physical == 0 })
	far := slices.IndexFunc(top.Cores, func(c Core) bool { return c.Package != at(0).Package })
	if sibling < 0 || far < 0 {
		t.Fatalf("%+v", top.Cores)
	}
	for want, pair := range map[string][2]Core{
		SameCore:    {at(0), at(0)},
		Threads:     {at(0), top.Cores[sibling]},
		SharedCache: {{ID: 0, LLC: 0, Package: 0}, {ID: 1, Physical: 1, LLC: 0, Package: 0}},
		SameSocket:  {{ID: 0, LLC: 0, Package: 0}, {ID: 9, Physical: 9, LLC: 8, Package: 0}},
		SameHost:    {at(0), top.Cores[far]},
	} {
		if got := Distance(pair[0], pair[1]); got != want {
			t.Errorf("%+v: %q, want %q", pair, got, want)
		}
	}
	if got := Distance(Unpinned, Unpinned); got != SameHost {
		t.Errorf("unpinned ranks: %q", got)
	}
}

func TestAccess(t *testing.T) {
	const dev, flags = "sys/class/net/eth0/device", "proc/cpuinfo"
	guest := "flags : fpu hypervisor"
	for _, c := range []struct {
		driver string
		files  map[string]string
		want   string
	}{
		{"virtio_net", map[string]string{flags: guest}, "paravirtual"},
		{"e1000", map[string]string{flags: guest}, "emulated"},
		{"igb", map[string]string{flags: guest, dev + "/subsystem_vendor": "0x1af4"}, "emulated"},
		{"ena", map[string]string{flags: guest}, "sr-iov"},
		{"mlx5_core", map[string]string{flags: guest, dev + "/vendor": "0x15b3", dev + "/device": "0x101e"}, "sr-iov"},
		{"mlx5_core", map[string]string{flags: guest, dev + "/vendor": "0x15b3", dev + "/device": "0x101d"}, "passthrough"},
		{"mlx5_core", map[string]string{flags: "flags : fpu"}, ""},
		{"", map[string]string{flags: guest}, ""},
	} {
		if got := access(files(c.files), dev, c.driver); got != c.want {
			t.Errorf("%s, %v: %q, want %q", c.driver, c.files, got, c.want)
		}
	}
}

func TestIRQCores(t *testing.T) {
	m := files(map[string]string{
		"proc/irq/25/effective_affinity_list": "1", "proc/irq/25/smp_affinity_list": "0-3", "proc/irq/26/smp_affinity_list": "2-3", "proc/irq/27/smp_affinity_list": "7",
	})
	m.FS.(fstest.MapFS)["sys/class/net/eth0/device"] = &fstest.MapFile{Data: []byte("../../virtio2"), Mode: fs.ModeSymlink}
	interrupts := "  CPU0 CPU1\n 25: 7 8 PCI-MSIX virtio2-input.0\n 26: 1 2 PCI-MSIX virtio2-output.0\n 27: 5 5 IO-APIC virtio20\n"
	if got := irqCores(m, "sys/class/net/eth0/device", interrupts); got != "1-3" {
		t.Errorf("%q", got)
	}
}
