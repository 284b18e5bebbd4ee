package tcp

import (
	"fmt"
	"strconv"
	"time"

	"gobench/device"
	"gobench/device/contact"
	"gobench/device/protocol"
)

// declared returns the options of this transport. docs/notes/tcp.md explains the defaults.
func declared() []device.Option {
	return []device.Option{
		{Name: "engine", Kind: device.Word, Default: "poll", Values: []string{"poll", "net", "stream"},
			Help: "poll: the rank's thread polls the sockets; net: Go's network poller; stream: a reader for each connection"},
		{Name: "connections", Kind: device.Word, Default: "1", Values: []string{"1", "2"},
			Help: "connections of a pair of ranks; 2 is one for each direction"},
		{Name: "connect", Kind: device.Word, Default: "auto", Values: []string{"auto", "all", "needed"},
			Help: "all: every pair of ranks when the transport is opened; needed: the edges of a hypercube then, other pairs with their first message; auto is all for up to 32 ranks"},
		{Name: "nodelay", Kind: device.Word, Default: "on", Values: []string{"on", "off"},
			Help: "TCP_NODELAY: on sends small packets at once; off is Nagle's algorithm: a small packet waits, up to 40 ms, until the one before it is acknowledged; control messages between samples are delayed, too, so cells take longer"},
		{Name: "sndbuf", Kind: device.Bytes, Default: "0", Max: maxBuffer,
			Help: "send buffer of a socket, bytes; 0 = the kernel's default"},
		{Name: "rcvbuf", Kind: device.Bytes, Default: "0", Max: maxBuffer,
			Help: "receive buffer of a socket, bytes; 0 = the kernel's default"},
		{Name: "congestion", Kind: device.Text, Default: "auto",
			Help: "congestion control of the sockets, such as cubic; auto is reno on this host and the kernel's choice between hosts"},
		{Name: "chunk", Kind: device.Bytes, Default: "1MiB", Min: 4 << 10, Max: maxBuffer,
			Help: "maximum bytes of one write of a large message"},
		{Name: "merge", Kind: device.Bytes, Default: "4KiB", Max: packetLimit,
			Help: "largest packet that is copied after its header and written as one buffer, bytes; larger ones are gathered"},
		{Name: "mptcp", Kind: device.Word, Default: "off", Values: []string{"off", "on"},
			Help: "Multipath TCP (RFC 8684): a connection uses several paths, which ip mptcp endpoint and ip mptcp limits configure; the record has fallback if the peer or a middlebox does not support it"},
		{Name: "family", Kind: device.Word, Default: "auto", Values: []string{"auto", "4", "6", "smc", "vsock"},
			Help: "IP version, auto takes what there is, 4 first; smc: Shared Memory Communications over RDMA, which fall back to TCP (the record says so); vsock: between virtual machines and their host"},
		{Name: "bind", Kind: device.Text, Default: "", Local: true,
			Help: "network interfaces to use: subnets, addresses, beginnings of names (=NAME is one), separated by commas; ^ before the list leaves them out; empty: loopback on one host, else in the peer's subnet, then the fastest"},
		{Name: "rails", Kind: device.Word, Default: "one", Values: []string{"one", "all"},
			Help: "all: ranks of a host take its fastest network interfaces in turn, so that ranks with one number on two hosts use the same one; one: all take the best"},
		{Name: "peer_timeout", Kind: device.Count, Default: "10000", Min: 1000, Max: 3_600_000, Unit: "milliseconds",
			Help: "time after which a peer whose host does not answer is lost, milliseconds"},
		{Name: "port", Kind: device.Count, Default: "0", Local: true,
			Help: "rank r listens on port + r; 0 = chosen by the system"},
	}
}

// settings are the options as values.
type settings struct {
	engine         engine
	engineName     string
	connections    int
	lazy           bool // most pairs are connected with their first message
	nodelay        bool
	multipath      bool
	sndbuf, rcvbuf int
	congestion     string // empty: the kernel's choice
	chunk, merge   int
	family, bind   string
	rails          bool
	port           int
	silence        time.Duration  // of a host, after which its rank is lost
	later          time.Duration  // deadline of a connection that is made when it is needed
	deadline       time.Duration  // for opening
	pairs          protocol.Pairs // of ranks that are connected
	hello          time.Duration  // for one handshake
}

// engine is one way to wait for sockets. Each has a file engine_*.go.
type engine struct {
	link  func(connection) (link, error)
	yield func(turn uint) // called after a Poll that found nothing; may be nil
}

var engines = map[string]engine{
	"poll":   {newPollLink, nil},
	"net":    {newNetLink, netYield},
	"stream": {newStreamLink, streamYield},
}

// maxConcurrent is the number of ranks up to which all pairs are connected when the device is
// opened. That takes about 0.3 ms of a core for each pair (docs/notes/startup.md).
const maxConcurrent = 32

// maxBuffer is the greatest buffer in bytes: the kernel doubles it and keeps it in 32 bits.
const maxBuffer = 1 << 30

// ipVersion returns the IP version of the addresses.
func (s settings) ipVersion() string {
	if s.family == "smc" {
		return "auto"
	}
	return s.family
}

func parse(o device.Options, job device.Job) (settings, error) {
	crowd := contact.Crowd(job.LocalSize(), device.Processors(job))
	s := settings{
		engine:      engines[o.Word("engine")],
		engineName:  o.Word("engine"),
		connections: int(o.Word("connections")[0] - '0'),
		lazy:        o.Word("connect") == "needed" || o.Word("connect") == "auto" && job.Size() > maxConcurrent,
		nodelay:     o.Word("nodelay") == "on",
		multipath:   o.Word("mptcp") == "on",
		sndbuf:      o.Bytes("sndbuf"),
		rcvbuf:      o.Bytes("rcvbuf"),
		chunk:       o.Bytes("chunk"),
		merge:       o.Bytes("merge"),
		family:      o.Word("family"),
		bind:        o.Word("bind"),
		rails:       o.Word("rails") == "all",
		port:        o.Count("port"),
		silence:     time.Duration(o.Count("peer_timeout")) * time.Millisecond,
		later:       time.Duration(o.Count("peer_timeout")) * time.Millisecond * crowd,
		deadline:    contact.OpenDeadline * crowd,
		hello:       contact.HelloDeadline * crowd,
	}
	if s.congestion = o.Word("congestion"); s.congestion == "auto" {
		if s.congestion = ""; job.LocalSize() == job.Size() {
			s.congestion = "reno"
		}
	}
	if o.Word("wait") == "block" && s.engineName != "poll" {
		return s, &device.ValueError{Option: "wait", Value: "block", Want: "auto, spin or yield with engine=" + s.engineName + ", whose readers take the events"}
	}
	if s.family == "vsock" && (s.bind != "" || s.multipath) || s.family == "smc" && s.multipath {
		return s, &device.ValueError{Option: "family", Value: s.family, Want: "auto, 4 or 6 with bind or mptcp=on"}
	}
	if s.family == "vsock" || s.family == "smc" {
		s.congestion = ""
	}
	if last := s.port + job.Size() - 1; s.port != 0 && last > 65535 {
		return s, &device.ValueError{Option: "port", Value: strconv.Itoa(s.port),
			Want: fmt.Sprintf("at most %d, so that each of %d ranks has a port", 65536-job.Size(), job.Size())}
	}
	return s, nil
}
