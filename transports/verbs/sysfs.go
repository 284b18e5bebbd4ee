package verbs

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// sysfs is the directory in which the kernel lists RDMA devices.
const sysfs = "/sys/class/infiniband"

// hca is an RDMA device.
type hca struct {
	name  string
	iwarp bool
	// neither an adapter of InfiniBand or RoCE nor of iWARP, such as EFA or usNIC: it has no RC
	// queue pairs
	foreign bool
	ports   []hcaPort
}

// hcaPort is a port of an RDMA device.
type hcaPort struct {
	number   int
	active   bool
	state    string // as shown: "4: ACTIVE"
	ethernet bool
	dir      string // of the port
}

// gid is an entry of a port's GID table.
type gid struct {
	index int
	addr  [16]byte
	kind  string // "RoCE v2", "IB/RoCE v1"
	netif string
}

// ip returns the IP address of a RoCE v2 GID.
func (g gid) ip() netip.Addr { return netip.AddrFrom16(g.addr).Unmap() }

func (g gid) String() string {
	s := fmt.Sprintf("%d: %v (%s", g.index, g.ip(), g.kind)
	if g.netif != "" {
		s += ", " + g.netif
	}
	return s + ")"
}

// hcas lists the devices under root, by name.
func hcas(root string) []hca {
	entries, _ := os.ReadDir(root) // empty if the kernel has no RDMA
	var list []hca
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		kind := line(dir, "node_type")
		h := hca{name: e.Name(), iwarp: strings.HasPrefix(kind, "4"), foreign: kind > "5"}
		ports, _ := os.ReadDir(filepath.Join(dir, "ports"))
		for _, p := range ports {
			if n, err := strconv.Atoi(p.Name()); err == nil {
				h.ports = append(h.ports, readPort(filepath.Join(dir, "ports", p.Name()), n))
			}
		}
		slices.SortFunc(h.ports, func(a, b hcaPort) int { return a.number - b.number })
		list = append(list, h)
	}
	return list
}

func readPort(dir string, number int) hcaPort {
	p := hcaPort{number: number, state: line(dir, "state"), ethernet: line(dir, "link_layer") == "Ethernet", dir: dir}
	p.active = strings.HasSuffix(p.state, "ACTIVE")
	return p
}

// gids reads the GID table of the port. Each entry is a file, and a rank needs only those of its
// own ports.
func (p hcaPort) gids() (list []gid) {
	// A table may have thousands of entries, nearly all of them empty. Addresses that come and go
	// leave gaps, but not such long ones.
	const longestGap = 64
	for index, empty := 0, 0; empty < longestGap; index++ {
		entry := strconv.Itoa(index)
		raw, err := hex.DecodeString(strings.ReplaceAll(line(p.dir, "gids", entry), ":", ""))
		if err != nil || len(raw) != 16 || [16]byte(raw) == [16]byte{} {
			empty++
			continue
		}
		empty = 0
		list = append(list, gid{index: index, addr: [16]byte(raw),
			kind: line(p.dir, "gid_attrs", "types", entry), netif: line(p.dir, "gid_attrs", "ndevs", entry)})
	}
	return list
}

// line reads a file of one line; it returns "" if it cannot be read. Package os would make twice as
// many system calls, and there are hundreds of such files.
func line(parts ...string) string {
	fd, err := unix.Open(filepath.Join(parts...), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	var text [256]byte
	n, _ := unix.Read(fd, text[:])
	return strings.TrimSpace(string(text[:max(n, 0)]))
}

// noDevice returns the reason why no device of a list can be used, or "" if one can.
func noDevice(list []hca) string {
	if len(list) == 0 {
		return "the kernel shows no RDMA device (" + sysfs + " is empty: no adapter, or its driver or ib_uverbs is not loaded)"
	}
	var down, foreign []string
	for _, h := range list {
		if h.foreign {
			foreign = append(foreign, h.name)
			continue
		}
		for _, p := range h.ports {
			if p.active {
				return ""
			}
			down = append(down, fmt.Sprintf("%s port %d is %s", h.name, p.number, p.state))
		}
	}
	if down == nil && foreign != nil {
		return "no device has RC queue pairs: the kernel shows " + strings.Join(foreign, ", ")
	}
	return "no port is active: " + strings.Join(down, ", ")
}
