package device

import (
	"context"
	"encoding/json"
	"fmt"
)

// Exchange gives every rank the values of all ranks, indexed by rank. It is collective, and is
// Job.Exchange for a value that is encoded as JSON. Equal messages are decoded once, because hundreds of
// ranks send the same; their values share what they point to, which must not be changed. A value that cannot be decoded is a
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
	read := make(map[string]int, len(blobs)) // the rank whose value is decoded, by message
	for rank, b := range blobs {
		if first, ok := read[string(b)]; ok {
			all[rank] = all[first]
			continue
		}
		read[string(b)] = rank
		if err := json.Unmarshal(b, &all[rank]); err != nil {
			return nil, &ProtocolError{Rank: rank, Detail: fmt.Sprintf("its first message cannot be read: %v; is it the same version of gobench?", err)}
		}
	}
	return all, nil
}
