package rendezvous

import (
	"context"
	"fmt"

	"gobench/device"
)

// Joined makes this process a rank of a job that a library has joined (device.Joiner) instead of
// Join. It finds out which ranks share this host.
func Joined(ctx context.Context, job device.JoinedJob) (*Rank, error) {
	rank := &Rank{rank: job.Rank(), size: job.Size(), link: &joinedLink{job: job}}
	if err := rank.begin(ctx); err != nil {
		return nil, err
	}
	return rank, nil
}

// joinedLink is the link of a rank whose library carries Exchange.
type joinedLink struct {
	job    device.JoinedJob
	failed bool
}

func (l *joinedLink) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	blobs, err := l.job.Exchange(ctx, blob)
	l.failed = l.failed || err != nil
	return blobs, err
}

// Failure implements link: the library's launcher ends all ranks when one is lost.
func (l *joinedLink) Failure() *device.PeerError { return nil }

// Tell implements link: a rank that ends without Close makes the launcher end the others.
func (l *joinedLink) Tell(string) { l.failed = true }

func (l *joinedLink) Close() error {
	if l.job == nil || l.failed {
		return nil
	}
	err := l.job.Close()
	l.job = nil
	if err != nil {
		return fmt.Errorf("the end of the job: %w", err)
	}
	return nil
}
