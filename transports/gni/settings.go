//go:build gni && cgo

package gni

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"gobench/device"
)

// settings are the options as values.
type settings struct {
	library  string
	device   int
	mailbox  int
	credits  int
	fmaLimit int
	getLimit int
	bounce   bool
	segment  int
	posts    int
	events   int
	lazy     bool
	regCache int
	quiet    time.Duration
	blocking bool // option wait
}

const (
	head      = 32       // bytes of a message before the data
	mailboxes = 64 << 20 // bytes of the mailboxes of a rank, where that is left to us
)

// mailboxFor returns the size of a message in bytes for a job of the given number of ranks, as Open
// MPI chooses it, except that Open MPI takes 256 above 16384 ranks, which is below minMailbox.
func mailboxFor(ranks int) int {
	switch {
	case ranks <= 512:
		return 8192
	case ranks <= 1024:
		return 2048
	case ranks <= 8192:
		return 1024
	}
	return 512
}

// libraryOf returns the file of the library.
func libraryOf(o device.Options) string {
	if file := o.Word("library"); file != "auto" {
		return file
	}
	return library
}

func parse(o device.Options, ranks int) (settings, error) {
	s := settings{
		library:  libraryOf(o),
		blocking: o.Word("wait") == "block",
		device:   o.Count("device"),
		mailbox:  o.Bytes("mailbox"),
		credits:  o.Count("credits"),
		fmaLimit: o.Bytes("fma_limit"),
		getLimit: o.Bytes("get_limit"),
		bounce:   o.Word("unaligned") == "bounce",
		segment:  o.Bytes("segment"),
		posts:    o.Count("posts"),
		events:   o.Count("events"),
		lazy:     o.Word("connect") == "lazy",
		regCache: o.Bytes("reg_cache"),
		quiet:    time.Duration(o.Count("peer_timeout")) * time.Millisecond / 4,
	}
	if s.mailbox < 0 {
		s.mailbox = mailboxFor(ranks)
	}
	peers := max(1, ranks-1)
	if s.credits == 0 {
		s.credits = min(32, max(4, mailboxes/peers/s.mailbox))
	}
	for _, limit := range []*int{&s.fmaLimit, &s.getLimit, &s.segment} {
		if *limit < 0 {
			*limit = maxSegment
		}
	}
	// A mailbox is named by its offset of 32 bits. Its size here is an estimate from above.
	if limit := math.MaxUint32 / ranks; s.credits*(s.mailbox+64)+192 > limit {
		return s, &device.ValueError{Option: "credits", Value: strconv.Itoa(s.credits),
			Want: fmt.Sprintf("less, or a smaller mailbox: the mailboxes of %d ranks take more than 4 GiB", ranks)}
	}
	if s.segment%4 != 0 {
		return s, &device.ValueError{Option: "segment", Value: o.Word("segment"), Want: "a multiple of 4"}
	}
	if s.events == 0 {
		s.events = min(maxEvents, max(64, 2*s.credits*peers))
	}
	return s, nil
}
