package device

import (
	"context"
	"encoding/json"
	"fmt"
)

// Exchange gives every rank the values of all ranks, indexed by rank. It is collective, and is
// Job.Exchange for a value that is encoded as JSON. A value that cannot be decoded is a
// *ProtocolError; other errors are those of the job.
func Exchange[T any](ctx context.Context, job Job, mine T) ([]T, error) {
	blob, err := json.Marshal(mine)
	if err != nil {
		return nil, err
	}
	blobs, err := job.Exchange(ctx, blob)
	if err != nil {
		return nil, err
	}
	if len(blobs) != job.Size() {
		return nil, fmt.Errorf("the launcher exchanged values of %d ranks among %d ranks", len(blobs), job.Size())
	}
	all := make([]T, len(blobs))
	for rank, b := range blobs {
		if err := json.Unmarshal(b, &all[rank]); err != nil {
			return nil, &ProtocolError{Rank: rank, Detail: fmt.Sprintf("its first message cannot be read: %v; is it the same version of gobench?", err)}
		}
	}
	return all, nil
}
