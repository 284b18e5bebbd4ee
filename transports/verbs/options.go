package verbs

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"gobench/device"
	"gobench/internal/netif"
)

// declared are the options of this transport; doc.go explains the defaults.
func declared() []device.Option {
	return []device.Option{
		{Name: "device", Kind: device.Text, Default: "auto", Local: true,
			Help: "RDMA device such as mlx5_0, or several separated by +; auto is the first with an active port"},
		{Name: "port", Kind: device.Count, Default: "0", Local: true,
			Help: "port of the device, from 1; 0 is the first that is active"},
		{Name: "rails", Kind: device.Word, Default: "stripe", Values: []string{"stripe", "spread"},
			Help: "with several devices: stripe cuts long messages over all of them, spread gives rank r device r modulo their number"},
		{Name: "gid", Kind: device.Text, Default: "auto", Local: true,
			Help: "index of the GID; auto on Ethernet is RoCE v2 with an IPv4 address, else IPv6, on InfiniBand 0"},
		{Name: "service_level", Kind: device.Count, Default: "0", Max: 15, Help: "InfiniBand service level, 0 to 15; priority on RoCE"},
		{Name: "traffic_class", Kind: device.Count, Default: "0", Max: 255, Help: "traffic class of the GRH, 0 to 255; DSCP and ECN bits on RoCE v2"},
		{Name: "path_mtu", Kind: device.Bytes, Default: "auto", Help: "256, 512, 1024, 2048 or 4096 bytes; auto = the smaller MTU of the ports"},
		{Name: "exchange", Kind: device.Word, Default: "auto", Values: []string{"auto", "tcp", "rdmacm"},
			Help: "how ranks connect: tcp exchanges queue numbers over the launcher's network, rdmacm uses RDMA CM; auto is rdmacm for iWARP"},
		{Name: "connect", Kind: device.Word, Default: "eager", Values: []string{"eager", "lazy"},
			Help: "when ranks connect: eager connects all pairs when the device is opened, lazy each pair with its first message, by rdmacm"},
		{Name: "bind", Kind: device.Text, Default: "auto", Local: true,
			Help: "subnets, addresses or beginnings of names of interfaces, as option bind of tcp: the GID of RoCE is of these, and rdmacm listens at one that the device has; auto admits all"},
		{Name: "family", Kind: device.Word, Default: "auto", Values: []string{"auto", "4", "6"},
			Help: "IP version of the GID or of rdmacm; auto takes what there is, 4 first"},
		{Name: "credits", Kind: device.Count, Default: "0", Max: 4096,
			Help: "credits of a peer in packets, each with a receive buffer; 0 is 64, less with many ranks"},
		{Name: "buffer", Kind: device.Bytes, Default: "16KiB", Min: 256, Max: 1 << 20, Help: "data bytes of one packet"},
		{Name: "queue", Kind: device.Count, Default: "128", Min: 8, Max: 1 << 15, Help: "requests that a send queue holds, rounded up to a power of two"},
		{Name: "inline", Kind: device.Bytes, Default: "auto", Max: 4096,
			Help: "largest inline packet with its header, bytes; auto tries up to 256; the adapter may allow less"},
		{Name: "srq", Kind: device.Word, Default: "off", Values: []string{"off", "on"}, Help: "one shared receive queue for all peers"},
		{Name: "notice", Kind: device.Word, Default: "auto", Values: []string{"auto", "on", "off"},
			Help: "end a rendezvous by a write with immediate data instead of a packet; auto = if the adapter can"},
		{Name: "segment", Kind: device.Bytes, Default: "auto", Min: 1, Max: maxRequest, Help: "largest RDMA request in bytes; auto = the limit of the port"},
		{Name: "reg_cache", Kind: device.Bytes, Default: "auto",
			Help: "limit of the registration cache, bytes; 0 registers memory for every message; auto is 1GiB if mapping changes can be watched, else 0"},
		{Name: "peer_timeout", Kind: device.Count, Default: "600", Min: 10, Max: 600_000, Unit: "milliseconds", Help: "time after which a peer that does not answer is lost, milliseconds"},
		{Name: "qps", Kind: device.Count, Default: "1", Min: 1, Max: 64,
			Help: "queue pairs of each pair of ranks, 1 to 64, at level raw: puts and gets use them in turn"},
		{Name: "service", Kind: device.Word, Default: "rc", Values: []string{"rc", "uc", "ud", "xrc"},
			Help: "transport service of the queue pairs, as -c of perftest; for level raw: uc has messages and puts, ud messages alone, in packets of the MTU. They repeat nothing that is lost, which is an error then. " +
				"xrc has what rc has, with the shared receive queue of an XRC domain; no soft device has it"},
		{Name: "loop", Kind: device.Word, Default: "go", Values: []string{"go", "native"},
			Help: "how level raw measures pingpong, puts and gets: go by the calls of a Go program (Send, Recv, one call " +
				"for each put or get), native by a loop in C as perftest does"},
	}
}

// settings are the options as values.
type settings struct {
	devices      []string // empty: choose
	spread       bool
	port         int // 0: choose
	gid          int // -1: choose
	serviceLevel int
	trafficClass int
	mtu          int // enum ibv_mtu; 0: the port's
	exchange     string
	lazy         bool
	bind         netif.Selection
	family       string
	credits      int
	buffer       int
	queue        int
	inline       int
	shared       bool
	notice       string
	segment      int // the port may have a lower limit
	regCache     int // -1: on if mappings can be watched
	timeout      int // exponent of the local ack time-out
	quiet        time.Duration
	native       bool // loops of benchmarks run in C
	queues       int  // queue pairs of a pair of ranks
	service      string
	blocking     bool // waiting ranks sleep until an event of the completion channel: option wait
}

const (
	maxRails    = 4
	maxGID      = 255      // index in the address of a queue pair
	maxRequest  = 1 << 30  // bytes of one RDMA request; ports take up to 2^31
	bufferTotal = 64 << 20 // default of the receive buffers of a rank
	retries     = 6        // the maximum is 7, which soft-RoCE treats as infinite
)

func parse(o device.Options, ranks int) (settings, error) {
	s := settings{
		spread:       o.Word("rails") == "spread",
		port:         o.Count("port"),
		gid:          -1,
		serviceLevel: o.Count("service_level"),
		trafficClass: o.Count("traffic_class"),
		exchange:     o.Word("exchange"),
		lazy:         o.Word("connect") == "lazy",
		family:       o.Word("family"),
		credits:      o.Count("credits"),
		buffer:       o.Bytes("buffer"),
		queue:        o.Count("queue"),
		inline:       o.Bytes("inline"),
		shared:       o.Word("srq") == "on",
		notice:       o.Word("notice"),
		segment:      o.Bytes("segment"),
		regCache:     o.Bytes("reg_cache"),
		native:       o.Word("loop") == "native",
		queues:       o.Count("qps"),
		service:      o.Word("service"),
		blocking:     o.Word("wait") == "block",
	}
	if s.service != "rc" && (s.lazy || s.shared || s.exchange == "rdmacm") {
		return s, &device.ValueError{Option: "service", Value: s.service, Want: "rc with connect=lazy, srq=on or exchange=rdmacm"}
	}
	s.shared = s.shared || s.service == "xrc"
	if s.lazy && (s.exchange == "tcp" || s.queues > 1) {
		return s, &device.ValueError{Option: "connect", Value: "lazy", Want: "eager with exchange=tcp or several qps: only RDMA CM connects while messages flow, one queue pair at a time"}
	}
	if d := o.Word("device"); d != "auto" {
		s.devices = strings.Split(d, "+")
	}
	if b := o.Word("bind"); b != "auto" {
		var err error
		if s.bind, err = netif.ParseSelection(b); err != nil {
			return s, fmt.Errorf("option bind: %w", err)
		}
	}
	refuse := func(name, want string) error {
		return &device.ValueError{Option: name, Value: o.Word(name), Want: want}
	}
	if len(s.devices) > maxRails {
		return s, refuse("device", fmt.Sprintf("at most %d devices", maxRails))
	}
	if g := o.Word("gid"); g != "auto" {
		n, err := strconv.Atoi(g)
		if err != nil || n < 0 || n > maxGID {
			return s, refuse("gid", fmt.Sprintf("auto or an index from 0 to %d", maxGID))
		}
		s.gid = n
	}
	if m := o.Bytes("path_mtu"); m >= 0 {
		if m < 256 || m > 4096 || m&(m-1) != 0 {
			return s, refuse("path_mtu", "256, 512, 1024, 2048, 4096 or auto")
		}
		s.mtu = bits.Len(uint(m)) - 8
	}
	timeout := o.Count("peer_timeout")
	s.queue = 1 << bits.Len(uint(s.queue-1))
	if s.inline < 0 {
		s.inline = 256
	}
	if s.segment < 0 {
		s.segment = maxRequest
	}
	peers := max(1, ranks-1)
	if s.credits == 0 {
		s.credits = min(64, max(8, bufferTotal/peers/s.buffer))
		if s.shared {
			s.credits = max(4, min(64, 512/peers))
		}
	}
	s.credits = max(s.credits, 4)
	s.timeout = ackTimeout(time.Duration(timeout) * time.Millisecond)
	s.quiet = time.Duration(timeout) * time.Millisecond / 4
	return s, nil
}

// ackTimeout returns the exponent with which the first try and all retries together take about
// total: 4.096 us x 2^exponent each (InfiniBand Architecture, local ack timeout).
func ackTimeout(total time.Duration) int {
	each := float64(total) / (retries + 1)
	exponent := 1
	for exponent < 31 && 4096*float64(uint64(1)<<exponent) < each*0.75 {
		exponent++
	}
	return exponent
}
