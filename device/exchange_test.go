package device_test

import (
	"context"
	"errors"
	"testing"

	"gobench/device"
)

// answers is a Job of rank 0 whose Exchange returns these blobs.
type answers struct {
	device.Job
	size  int
	blobs []string
}

func (a answers) Size() int { return a.size }

func (a answers) Exchange(context.Context, []byte) ([][]byte, error) {
	var blobs [][]byte
	for _, b := range a.blobs {
		blobs = append(blobs, []byte(b))
	}
	return blobs, nil
}

func TestExchangeOfForeignData(t *testing.T) {
	ctx := context.Background()
	if all, err := device.Exchange(ctx, answers{size: 2, blobs: []string{"1", "2"}}, 1); err != nil || len(all) != 2 || all[1] != 2 {
		t.Errorf("exchanged %v, error %v", all, err)
	}
	_, err := device.Exchange(ctx, answers{size: 2, blobs: []string{"1", "x"}}, 1)
	if p, ok := errors.AsType[*device.ProtocolError](err); !ok || p.Rank != 1 {
		t.Errorf("error of a value that is not JSON is %v, want a ProtocolError of rank 1", err)
	}
	if _, err := device.Exchange(ctx, answers{size: 3, blobs: []string{"1", "2"}}, 1); err == nil {
		t.Error("2 values of 3 ranks are accepted")
	}
}
