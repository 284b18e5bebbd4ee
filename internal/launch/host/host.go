// Package host describes the machine that a rank runs on: the facts for a record (Collect), the
// cores and the placement of ranks on them (Plan, Pin), and how much the system disturbs a core
// (Noise).
package host

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Profile describes a profile (package profile) in a record.
type Profile struct {
	Hash    string            `json:"hash"`
	Choices map[string]string `json:"choices"` // by routine
}

// Facts describe a host, for the record. A fact that the system does not report is
// absent: a nil pointer, an empty string, an empty list. Sizes are bytes.
type Facts struct {
	Hostname   string `json:"hostname,omitempty"`
	OS         string `json:"os"`   // GOOS
	Arch       string `json:"arch"` // GOARCH
	Kernel     string `json:"kernel,omitempty"`
	Hypervisor string `json:"hypervisor,omitempty"` // "none" if the processor reports that there is none
	// Virtualization is "native" without a hypervisor, "pv" (the kernel calls the hypervisor in
	// place of privileged instructions), "hvm" (by the processor) or "pvh" (by the processor,
	// without emulated devices).
	Virtualization string `json:"virtualization,omitempty"`
	Clocksource    string `json:"clocksource,omitempty"`

	CPU    CPU     `json:"cpu"`
	Caches []Cache `json:"caches,omitempty"`
	NUMA   []Node  `json:"numa,omitempty"`
	Memory Memory  `json:"memory"`
	NICs   []NIC   `json:"nics,omitempty"`
	// Mitigations has the state of each vulnerability of this processor, by its name in sysfs.
	Mitigations map[string]string `json:"mitigations,omitempty"`
	Limits      Limits            `json:"limits"`
	Congestion  string            `json:"tcp_congestion,omitempty"` // the default of new sockets
	// Libraries are those that transports load, with versions: "libibverbs.so.1.14.44.0".
	Libraries []string `json:"libraries,omitempty"`

	// Profile is the profile of the machine in force, nil for none.
	Profile *Profile `json:"profile,omitempty"`

	// Load is the mean number of processes that wanted to run in the last minute.
	Load *float64 `json:"load_1min,omitempty"`
}

// Collect reads the facts of this machine, which takes a few milliseconds.
func Collect() Facts {
	f := collect(tree{os.DirFS("/")})
	if name, err := os.Hostname(); err == nil {
		f.Hostname = name
	}
	if allowed, err := AllowedCores(); err == nil {
		f.Limits.Cores = FormatCores(allowed)
	}
	f.NICs = askDrivers(f.NICs)
	return f
}

func collect(t tree) Facts {
	top := readTopology(t)
	return Facts{
		OS:             runtime.GOOS,
		Arch:           runtime.GOARCH,
		Kernel:         t.text("proc/sys/kernel/osrelease"),
		Hypervisor:     readHypervisor(t),
		Virtualization: readVirtualization(t),
		Clocksource:    t.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
		CPU:            readCPU(t, top),
		Caches:         readCaches(t),
		NUMA:           readNodes(t),
		Memory:         readMemory(t),
		NICs:           readNICs(t),
		Mitigations:    readMitigations(t),
		Limits:         readLimits(t),
		Congestion:     t.text("proc/sys/net/ipv4/tcp_congestion_control"),
		Libraries:      readLibraries(t),
		Load:           readLoad(t),
	}
}

func readMitigations(t tree) map[string]string {
	const dir = "sys/devices/system/cpu/vulnerabilities"
	found := make(map[string]string)
	for _, name := range t.names(dir) {
		if state := t.text(dir + "/" + name); state != "" && state != "Not affected" {
			found[name] = state
		}
	}
	return found
}

// readLibraries finds the versions of libraries in the directories of Debian and Red Hat. It looks
// for names and lists no directory: every rank calls it at its start, and /usr/lib may be large or
// on a network.
func readLibraries(t tree) (list []string) {
	for _, name := range []string{"libibverbs.so.1", "librdmacm.so.1"} {
		for _, dir := range []string{"usr/lib/x86_64-linux-gnu/", "usr/lib/aarch64-linux-gnu/", "usr/lib64/", "usr/lib/"} {
			if _, err := fs.Lstat(t.FS, dir+name); err == nil {
				list = append(list, cmp.Or(t.target(dir+name), name))
				break
			}
		}
	}
	return list
}

func readLoad(t tree) *float64 {
	first, _, _ := strings.Cut(t.text("proc/loadavg"), " ")
	load, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return nil
	}
	return &load
}

// Identity returns a string that is equal for two processes if they can share memory and the
// loopback network. The host name does not show that, nor does the boot id: containers of one
// machine have the same boot id and may have separate /dev/shm.
func Identity() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	id := strings.TrimSpace(string(boot))
	for _, space := range []string{"ipc", "net"} {
		var stat unix.Stat_t
		unix.Stat("/proc/self/ns/"+space, &stat)
		id += fmt.Sprintf(" %s:%d", space, stat.Ino)
	}
	var shm unix.Stat_t
	unix.Stat("/dev/shm", &shm)
	return id + fmt.Sprintf(" shm:%d", shm.Dev)
}
