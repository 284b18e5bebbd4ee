package device

import (
	"context"
	"time"

	"gobench/internal/profile"
)

// A Trier is a Driver whose best methods depend on the machine. It reads them from the profile in
// force when it opens.
type Trier interface {
	Driver
	// Tried reports whether a profile has the choices for two cores at this latency in seconds.
	Tried(p *profile.Profile, latency float64) bool
	// Try finds them by trials between the two ranks of a job on one host, on the cores of
	// the ranks that will use them. It is collective; rank 0 returns the choices. It takes
	// little longer than the given time.
	Try(ctx context.Context, job Job, within time.Duration) ([]profile.Choice, error)
}
