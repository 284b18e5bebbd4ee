package device

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// A SocketOpener is a Driver that opens stream connections as ordinary programs use them (level
// "socket"). Its Open returns an *UnavailableError, because streams have no tagged messages.
//
// Send and Recv of such a channel are blocking write and read calls. A message has no header, so a
// receive fills its whole buffer, and tag and context are ignored. A message of 0 bytes is sent as
// one byte. Wildcards are an *ArgumentError.
type SocketOpener interface {
	OpenSocket(ctx context.Context, job Job, opts Options) (Channel, error)
}

// Levels of measurement that drivers open. Communicators (level "comm") are made over a device.
const (
	LevelRaw    = "raw"
	LevelDevice = "device"
	LevelSocket = "socket"
)

// Levels returns the levels that a driver opens, the usual one first.
func Levels(d Driver) []string {
	if _, ok := d.(SocketOpener); ok {
		return []string{LevelSocket}
	}
	list := []string{LevelDevice}
	if _, ok := d.(RawOpener); ok {
		list = append(list, LevelRaw)
	}
	return list
}

// OpenAt opens a driver at one of its levels. It is collective over the job, and ownership of the
// channel passes to the caller.
func OpenAt(ctx context.Context, d Driver, level string, job Job, opts Options) (Channel, error) {
	if !slices.Contains(Levels(d), level) {
		return nil, fmt.Errorf("transport %s has no level %s, only %s", d.Name(), level, strings.Join(Levels(d), " and "))
	}
	switch level {
	case LevelSocket:
		return d.(SocketOpener).OpenSocket(ctx, job, opts)
	case LevelRaw:
		return d.(RawOpener).OpenRaw(ctx, job, opts)
	}
	return d.Open(ctx, job, opts)
}
