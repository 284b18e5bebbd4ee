package bridge

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// A gatherer is a job whose library has a gather among all ranks and no keys: pmi.Client.
type gatherer interface {
	Rank() int
	Size() int
	Allgather(mine []byte) (all []byte, err error) // blocks of equal length, in no order
	Close() error
}

// gathered is the Store of a gatherer: Fence gathers the keys that all ranks have put since the
// last Fence.
type gathered struct {
	gatherer
	put  map[string]string
	seen []map[string]string // by rank
}

func newGathered(g gatherer) *gathered {
	s := &gathered{gatherer: g, put: map[string]string{}}
	for range g.Size() {
		s.seen = append(s.seen, map[string]string{})
	}
	return s
}

func (s *gathered) Put(key, value string) error {
	s.put[key] = value
	return nil
}

func (s *gathered) Get(rank int, key string) (string, error) {
	value, ok := s.seen[rank][key]
	if !ok {
		return "", fmt.Errorf("rank %d has put no %s", rank, key)
	}
	return value, nil
}

// Fence gathers the lengths first, because all blocks of a gather have the same length. A block
// begins with the number of its rank and the length of the text.
func (s *gathered) Fence() error {
	text, err := json.Marshal(s.put)
	if err != nil {
		return err
	}
	clear(s.put)
	head := binary.LittleEndian.AppendUint32(nil, uint32(s.Rank()))
	head = binary.LittleEndian.AppendUint32(head, uint32(len(text)))
	heads, err := s.Allgather(head)
	if err != nil {
		return err
	}
	longest := 0
	for at := 0; at < len(heads); at += len(head) {
		longest = max(longest, int(binary.LittleEndian.Uint32(heads[at+4:])))
	}
	block := append(head, text...)
	block = append(block, make([]byte, len(head)+longest-len(block))...)
	all, err := s.Allgather(block)
	if err != nil {
		return err
	}
	for ; len(all) > 0; all = all[len(block):] {
		rank, length := int(binary.LittleEndian.Uint32(all)), int(binary.LittleEndian.Uint32(all[4:]))
		if rank >= s.Size() || length > longest {
			return fmt.Errorf("the gather of the launcher's library has a block of rank %d with %d bytes", rank, length)
		}
		if err := json.Unmarshal(all[len(head):len(head)+length], &s.seen[rank]); err != nil {
			return err
		}
	}
	return nil
}
