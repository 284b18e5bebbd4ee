package netif

import (
	"encoding/binary"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Requests of SIOCETHTOOL that read only (linux/ethtool.h). They need no privilege.
const (
	ethtoolDriver   = 0x03
	ethtoolCoalesce = 0x0e
	ethtoolRings    = 0x10
	ethtoolStrings  = 0x1b
	ethtoolSetCount = 0x37
	ethtoolFeatures = 0x3a
	ethtoolChannels = 0x3c
	ethtoolLink     = 0x4c
)

// featureSet is the number of the set of strings that names features (ETH_SS_FEATURES).
const featureSet = 4

// A Tool queries the drivers of interfaces. Its methods return a zero value if the driver does not
// answer.
type Tool struct{ fd int }

// OpenTool returns a Tool, which Close closes.
func OpenTool() (*Tool, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return &Tool{fd}, nil
}

// Close closes the Tool.
func (t *Tool) Close() error { return unix.Close(t.fd) }

// ask passes a request, which begins with its number, and reports whether it was answered in place.
func (t *Tool) ask(name string, request []byte) bool {
	if len(name) >= unix.IFNAMSIZ {
		return false
	}
	var ifreq struct {
		name [unix.IFNAMSIZ]byte
		data unsafe.Pointer
		_    [16]byte
	}
	copy(ifreq.name[:], name)
	ifreq.data = unsafe.Pointer(unsafe.SliceData(request))
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(t.fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&ifreq)))
	runtime.KeepAlive(request)
	return errno == 0
}

// words asks for a structure of 32-bit numbers, of which the first is the number of the request.
func (t *Tool) words(name string, request uint32, count int) []uint32 {
	b := make([]byte, 4*count)
	binary.NativeEndian.PutUint32(b, request)
	if !t.ask(name, b) {
		return nil
	}
	list := make([]uint32, count)
	for i := range list {
		list[i] = binary.NativeEndian.Uint32(b[4*i:])
	}
	return list
}

// Coalesce holds the times in microseconds and the numbers of frames after which a NIC interrupts;
// 0 = none.
type Coalesce struct {
	Rx       uint32 `json:"rx_us"`
	RxFrames uint32 `json:"rx_frames"`
	Tx       uint32 `json:"tx_us"`
	TxFrames uint32 `json:"tx_frames"`
	Adaptive bool   `json:"adaptive_rx,omitempty"`
}

// Coalesce returns the interrupt coalescing of an interface.
func (t *Tool) Coalesce(name string) *Coalesce {
	w := t.words(name, ethtoolCoalesce, 23)
	if w == nil {
		return nil
	}
	return &Coalesce{w[1], w[2], w[5], w[6], w[10] != 0}
}

// Rings holds the numbers of descriptors in a receive and a send queue of a NIC, and the greatest
// possible ones.
type Rings struct {
	Rx    uint32 `json:"rx"`
	Tx    uint32 `json:"tx"`
	MaxRx uint32 `json:"most_rx,omitempty"`
	MaxTx uint32 `json:"most_tx,omitempty"`
}

// Rings returns the sizes of the queues of an interface.
func (t *Tool) Rings(name string) *Rings {
	w := t.words(name, ethtoolRings, 9)
	if w == nil || w[5]+w[8] == 0 {
		return nil
	}
	return &Rings{Rx: w[5], Tx: w[8], MaxRx: w[1], MaxTx: w[4]}
}

// Queues returns the number of pairs of queues in use, 0 if it is not known: each has an interrupt.
func (t *Tool) Queues(name string) int {
	w := t.words(name, ethtoolChannels, 9)
	if w == nil {
		return 0
	}
	return int(max(w[5], w[6]) + w[8]) // receive, send, and combined queues
}

// Firmware returns the version of an interface's firmware, "" if there is none.
func (t *Tool) Firmware(name string) string {
	b := make([]byte, 196)
	binary.NativeEndian.PutUint32(b, ethtoolDriver)
	if !t.ask(name, b) {
		return ""
	}
	version := strings.TrimSpace(cString(b[68:100]))
	if version == "N/A" {
		return ""
	}
	return version
}

// Features returns the names of the features of an interface that are switched on, as ethtool -k
// spells them without its short names: "tx-tcp-segmentation", "rx-gro".
func (t *Tool) Features(name string) []string {
	count := make([]byte, 24) // cmd, reserved, mask of 64 bits, one number
	binary.NativeEndian.PutUint32(count, ethtoolSetCount)
	binary.NativeEndian.PutUint64(count[8:], 1<<featureSet)
	if !t.ask(name, count) || binary.NativeEndian.Uint64(count[8:]) == 0 {
		return nil
	}
	const nameSize, limit = 32, 1024
	n := int(binary.NativeEndian.Uint32(count[16:]))
	if n == 0 || n > limit {
		return nil
	}
	names := make([]byte, 12+n*nameSize)
	binary.NativeEndian.PutUint32(names, ethtoolStrings)
	binary.NativeEndian.PutUint32(names[4:], featureSet)
	binary.NativeEndian.PutUint32(names[8:], uint32(n))
	blocks := (n + 31) / 32 // of 32 features: available, requested, active, never changed
	state := make([]byte, 8+16*blocks)
	binary.NativeEndian.PutUint32(state, ethtoolFeatures)
	binary.NativeEndian.PutUint32(state[4:], uint32(blocks))
	if !t.ask(name, names) || !t.ask(name, state) {
		return nil
	}
	var on []string
	for i := range n {
		active := binary.NativeEndian.Uint32(state[8+16*(i/32)+8:])
		if active>>(i%32)&1 != 0 {
			on = append(on, cString(names[12+i*nameSize:][:nameSize]))
		}
	}
	return on
}

// speed returns the rate of a link in bit/s, 0 if the driver does not know it.
func (t *Tool) speed(name string) int64 {
	// The first call returns, as a negative number, how many words of bits follow.
	head := make([]byte, 48)
	binary.NativeEndian.PutUint32(head, ethtoolLink)
	if !t.ask(name, head) {
		return 0
	}
	words := -int8(head[15])
	if words <= 0 {
		return 0
	}
	b := make([]byte, 48+3*4*int(words))
	binary.NativeEndian.PutUint32(b, ethtoolLink)
	b[15] = byte(words)
	if !t.ask(name, b) {
		return 0
	}
	mbit := int32(binary.NativeEndian.Uint32(b[4:]))
	if mbit <= 0 { // -1 = unknown
		return 0
	}
	return int64(mbit) * 1e6
}

// Speed returns the rate of an interface in bit/s, 0 if it is not known, as that of many virtual
// ones.
func Speed(name string) int64 {
	t, err := OpenTool()
	if err != nil {
		return 0
	}
	defer t.Close()
	return t.speed(name)
}
