package sctp

import (
	"fmt"
	"time"

	"gobench/device"
	"gobench/internal/netif"
)

// declared returns the options of this transport.
func declared() []device.Option {
	return []device.Option{
		{Name: "family", Kind: device.Word, Default: "auto", Values: []string{"auto", "4", "6"},
			Help: "IP version; auto prefers 4"},
		{Name: "bind", Kind: device.Text, Default: "", Local: true,
			Help: "network interface to use, as option bind of tcp; empty: loopback on one host, else the fastest"},
		{Name: "nodelay", Kind: device.Word, Default: "on", Values: []string{"on", "off"},
			Help: "SCTP_NODELAY: on sends small messages at once; off delays them until earlier ones are acknowledged"},
		{Name: "sndbuf", Kind: device.Bytes, Default: "4MiB", Max: maxBuffer, Help: "send buffer of the socket, shared by all peers, bytes; 0 = the kernel's default"},
		{Name: "rcvbuf", Kind: device.Bytes, Default: "4MiB", Max: maxBuffer, Help: "receive buffer of the socket, shared by all peers, bytes; 0 = the kernel's default"},
		{Name: "peer_timeout", Kind: device.Count, Default: "10000", Min: 100, Max: 3_600_000, Unit: "milliseconds",
			Help: "time after which a peer whose host does not answer is lost, milliseconds"},
	}
}

// settings are the options as values.
type settings struct {
	family         string
	bind           netif.Selection
	nodelay        bool
	sndbuf, rcvbuf int
	silence        time.Duration
}

// maxBuffer is the greatest buffer in bytes: the kernel doubles it and keeps it in 32 bits.
const maxBuffer = 1 << 30

func parse(o device.Options) (settings, error) {
	s := settings{
		family:  o.Word("family"),
		nodelay: o.Word("nodelay") == "on",
		sndbuf:  o.Bytes("sndbuf"),
		rcvbuf:  o.Bytes("rcvbuf"),
		silence: time.Duration(o.Count("peer_timeout")) * time.Millisecond,
	}
	var err error
	if s.bind, err = netif.ParseSelection(o.Word("bind")); err != nil {
		return s, fmt.Errorf("option bind: %w", err)
	}
	return s, nil
}
