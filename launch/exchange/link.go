package exchange

import (
	"context"

	"gobench/device"
)

// A Link implements Exchange for one kind of launcher.
type Link interface {
	Exchange(ctx context.Context, blob []byte) ([][]byte, error)
	Failure() *device.PeerError // nil if none is known
	Tell(words string)
	Close() error
}
