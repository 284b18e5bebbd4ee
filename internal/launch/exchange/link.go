package exchange

import (
	"context"

	"gobench/device"
)

// A Link connects a rank to its launcher, or to the other ranks; each kind of launcher has its own.
type Link interface {
	// Exchange implements that of device.Job. After an error all further calls fail.
	Exchange(ctx context.Context, blob []byte) ([][]byte, error)
	// Failure returns the rank because of which this one is asked to end; nil if none is known.
	Failure() *device.PeerError
	// Tell sends the launcher the reason why this rank fails, in words.
	Tell(words string)
	// Close ends the exchanges of this rank. It does not count as a failure unless Tell was called,
	// or an exchange has failed.
	Close() error
}
