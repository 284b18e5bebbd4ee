package gni

import "gobench/device"

// library is the soname of the only ABI that there is.
const library = "libugni.so.0"

const (
	minMailbox = 256 + 32 // the least data of a packet, and the head
	maxMailbox = 65535    // of SMSG
	maxEvents  = 40_000
	maxSegment = 1 << 30
)

// declared are the options of this transport. Those of the thesis' ugnidev are mailbox, fma_limit
// and get_limit, with eager_limit and reg_cache.
func declared() []device.Option {
	return []device.Option{
		{Name: "library", Kind: device.Text, Default: "auto", Local: true, Help: "file of the library; auto is " + library},
		{Name: "device", Kind: device.Count, Default: "0", Max: 255, Local: true, Help: "number of the NIC, from 0"},
		{Name: "mailbox", Kind: device.Bytes, Default: "auto", Min: minMailbox, Max: maxMailbox,
			Help: "largest short message (SMSG) in bytes, including its head of 32 bytes; auto is 8KiB, less with more than 512 ranks"},
		{Name: "credits", Kind: device.Count, Default: "0", Min: 2, Max: 4096,
			Help: "credits of a mailbox, in short messages; 0 is 32, less if the mailboxes of all peers would take more than 64 MiB"},
		{Name: "fma_limit", Kind: device.Bytes, Default: "2KiB", Max: maxSegment, Help: "largest put or get by FMA, bytes; longer ones use the block transfer engine (BTE)"},
		{Name: "get_limit", Kind: device.Bytes, Default: "64KiB", Max: maxSegment, Help: "with rndv=auto, largest message that the receiver reads (GET), bytes; the sender writes longer ones (PUT)"},
		{Name: "unaligned", Kind: device.Word, Default: "put", Values: []string{"put", "bounce"},
			Help: "with rndv=auto, how a message moves that GET cannot read as a whole, because an address or its size is no multiple of 4: put by the sender, or bounce head and tail through buffers"},
		{Name: "segment", Kind: device.Bytes, Default: "1MiB", Min: 4, Max: maxSegment, Help: "largest put or get of the NIC in bytes, a multiple of 4"},
		{Name: "posts", Kind: device.Count, Default: "128", Min: 2, Max: 4096, Help: "maximum number of outstanding puts and gets of a rank"},
		{Name: "events", Kind: device.Count, Default: "0", Max: maxEvents, Help: "entries of the completion queue of arriving messages; 0 is two for each credit of each peer, at most 40000"},
		{Name: "connect", Kind: device.Word, Default: "eager", Values: []string{"eager", "lazy"},
			Help: "when ranks connect: eager connects all pairs when the device is opened, lazy each pair with its first message, by datagrams"},
		{Name: "reg_cache", Kind: device.Bytes, Default: "auto",
			Help: "limit of the registration cache, bytes; 0 registers memory for every message; auto is 1GiB if mapping changes can be watched, else 0"},
		{Name: "peer_timeout", Kind: device.Count, Default: "600", Min: 8, Max: 600_000, Unit: "milliseconds", Help: "a peer that is silent for a quarter of this time is probed, milliseconds"},
	}
}
