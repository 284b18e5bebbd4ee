// Package inprocess gives the ranks of a job that are goroutines of one process a value in common.
package inprocess

import (
	"context"
	"encoding/binary"
	"sync"

	"gobench/device"
)

// Shared holds the values of jobs that are being opened. The zero Shared is ready to use.
type Shared[T any] struct {
	mu     sync.Mutex
	values map[uint64]T
	number uint64
}

// Join returns the value that newValue has made on rank 0, and the number of the job, which counts
// from 1. It is collective.
func (s *Shared[T]) Join(ctx context.Context, job device.Job, newValue func() T) (value T, number uint64, err error) {
	var blob [8]byte
	if job.Rank() == 0 {
		binary.LittleEndian.PutUint64(blob[:], s.add(newValue()))
	}
	all, err := job.Exchange(ctx, blob[:])
	if err != nil {
		return value, 0, err
	}
	number = binary.LittleEndian.Uint64(all[0])
	s.mu.Lock()
	value = s.values[number]
	s.mu.Unlock()
	if _, err := job.Exchange(ctx, nil); err != nil {
		return value, 0, err
	}
	if job.Rank() == 0 {
		s.mu.Lock()
		delete(s.values, number)
		s.mu.Unlock()
	}
	return value, number, nil
}

func (s *Shared[T]) add(value T) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil {
		s.values = map[uint64]T{}
	}
	s.number++
	s.values[s.number] = value
	return s.number
}
