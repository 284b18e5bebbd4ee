package host

import (
	"encoding/json"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// The facts of a machine in testdata equal its record.
func TestCollect(t *testing.T) {
	for _, name := range []string{"flat-vm", "two-sockets", "empty"} {
		t.Run(name, func(t *testing.T) {
			facts := collect(machine(t, name))
			facts.OS, facts.Arch, facts.Memory.Page = "linux", "amd64", 4096 // not from files
			got, err := json.MarshalIndent(facts, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile("testdata/" + name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != strings.TrimSpace(string(want)) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// These facts are known on every machine.
func TestCollectHere(t *testing.T) {
	f := Collect()
	if f.Kernel == "" || f.Memory.Total == nil || *f.Memory.Total <= 0 || f.Limits.Cores == "" {
		t.Errorf("facts %+v", f)
	}
	if f.CPU.Threads != nil && *f.CPU.Cores > *f.CPU.Threads {
		t.Errorf("%d physical cores, %d threads", *f.CPU.Cores, *f.CPU.Threads)
	}
}

func TestHypervisor(t *testing.T) {
	const (
		flags  = "proc/cpuinfo"
		clocks = "sys/devices/system/clocksource/clocksource0/available_clocksource"
		vendor = "sys/class/dmi/id/sys_vendor"
	)
	for _, test := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{flags: "flags : fpu hypervisor", clocks: "tsc kvm-clock", vendor: "Amazon EC2"}, "kvm (Amazon EC2)"},
		{map[string]string{flags: "flags : fpu hypervisor"}, "unknown"},
		{map[string]string{flags: "flags : fpu", vendor: "Dell Inc."}, "none"},
		{map[string]string{flags: "Features : fp asimd"}, ""},
		{map[string]string{"sys/hypervisor/type": "xen"}, "xen"},
	} {
		if got := readHypervisor(files(test.files)); got != test.want {
			t.Errorf("%v: %q, want %q", test.files, got, test.want)
		}
	}
}

// A guest of Xen says whether it is paravirtualised, also where its processor does not show the
// hypervisor.
func TestVirtualization(t *testing.T) {
	const (
		flags  = "proc/cpuinfo"
		clocks = "sys/devices/system/clocksource/clocksource0/available_clocksource"
		kind   = "sys/hypervisor/type"
		guest  = "sys/hypervisor/guest_type"
	)
	for _, test := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{flags: "flags : fpu hypervisor", kind: "xen", guest: "HVM"}, "hvm"},
		{map[string]string{flags: "flags : fpu", kind: "xen", guest: "PV"}, "pv"},
		{map[string]string{kind: "xen", guest: "PVH"}, "pvh"},
		{map[string]string{flags: "flags : fpu hypervisor", kind: "xen"}, ""}, // before Linux 4.13
		{map[string]string{kind: "xen", guest: "Xen"}, "hvm"},
		{map[string]string{flags: "flags : fpu hypervisor", clocks: "tsc kvm-clock"}, "hvm"},
		{map[string]string{flags: "flags : fpu hypervisor"}, ""},
		{map[string]string{flags: "flags : fpu"}, "native"},
		{map[string]string{}, ""},
	} {
		if got := readVirtualization(files(test.files)); got != test.want {
			t.Errorf("%v: %q, want %q", test.files, got, test.want)
		}
	}
}

func TestLLC(t *testing.T) {
	for name, want := range map[string]int64{"flat-vm": 32 << 20, "empty": 0} {
		if got := collect(machine(t, name)).LLC(); got != want {
			t.Errorf("%s: %d bytes, want %d", name, got, want)
		}
	}
}

func TestKernelSize(t *testing.T) {
	for s, want := range map[string]int64{"32768K": 32 << 20, "1024 kB": 1 << 20, "2M": 2 << 20, "1G": 1 << 30, "12": 12, "0": 0} {
		if got := kernelSize(s); got == nil || *got != want {
			t.Errorf("%q is %v, want %d", s, got, want)
		}
	}
	for _, s := range []string{"", "K", "many"} {
		if got := kernelSize(s); got != nil {
			t.Errorf("%q is %d, want nothing", s, *got)
		}
	}
}

// opens counts what is opened below a dir.
type opens struct {
	fs.FS
	below string
	names []string
}

func (o *opens) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, o.below) {
		o.names = append(o.names, name)
	}
	return o.FS.Open(name)
}

// Libraries are found without reading /usr/lib, which every rank would do, on a network file
// system, too.
func TestLibrariesAreFoundWithoutASearch(t *testing.T) {
	o := &opens{FS: fstest.MapFS{
		"usr/lib/python3/other.so":                         {},
		"usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.44.0": {},
		"usr/lib/x86_64-linux-gnu/libibverbs.so.1":         {Data: []byte("libibverbs.so.1.14.44.0"), Mode: fs.ModeSymlink},
		"usr/lib64/librdmacm.so.1":                         {},
		// none of them is opened
		"usr/lib/jvm/a/b": {}, "usr/lib/gcc/c": {}, "usr/lib/ssl/d": {},
	}, below: "usr/lib"}
	if got := readLibraries(tree{o}); strings.Join(got, " ") != "libibverbs.so.1 librdmacm.so.1" {
		t.Errorf("found %v", got)
	}
	for _, name := range o.names {
		if !strings.Contains(name, "libibverbs") && !strings.Contains(name, "librdmacm") {
			t.Errorf("%s is opened", name)
		}
	}
}
