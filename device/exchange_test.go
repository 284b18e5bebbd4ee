package device_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
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

// counted counts how often one of its values is decoded.
type counted struct{ N int }

var decoded int

func (c *counted) UnmarshalJSON(b []byte) error {
	decoded++
	var err error
	c.N, err = strconv.Atoi(string(b))
	return err
}

// Hundreds of ranks send the same message: each rank decodes it once.
func TestExchangeDecodesEqualMessagesOnce(t *testing.T) {
	decoded = 0
	all, err := device.Exchange(context.Background(), answers{size: 4, blobs: []string{"7", "8", "7", "7"}}, counted{7})
	if err != nil {
		t.Fatal(err)
	}
	if want := []counted{{7}, {8}, {7}, {7}}; !slices.Equal(all, want) || decoded != 2 {
		t.Errorf("%v, decoded %d times, want %v after 2", all, decoded, want)
	}
}

func TestExchangeNumbers(t *testing.T) {
	ctx := context.Background()
	blob := func(n byte, text string) string {
		return string([]byte{n, 0, 0, 0, 0, 0, 0, 0, n + 1, 0, 0, 0, 0, 0, 0, 0}) + text
	}
	all, numbers, err := device.ExchangeNumbers(ctx, answers{size: 2, blobs: []string{blob(3, "9"), blob(5, "9")}}, 9, 3, 4)
	if err != nil || !slices.Equal(all, []int{9, 9}) || !slices.Equal(numbers, []uint64{3, 4, 5, 6}) {
		t.Errorf("exchanged %v with numbers %v, error %v", all, numbers, err)
	}
	_, _, err = device.ExchangeNumbers(ctx, answers{size: 2, blobs: []string{blob(3, "9"), "9"}}, 9, 3, 4)
	if p, ok := errors.AsType[*device.ProtocolError](err); !ok || p.Rank != 1 {
		t.Errorf("error of a value without its numbers is %v, want a ProtocolError of rank 1", err)
	}
}

func TestAgree(t *testing.T) {
	agree := func(own error, second string) ([]int, error) {
		job := answers{size: 2, blobs: []string{`{"Version":3,"Value":5}`, second}}
		return device.Agree(context.Background(), job, 3, 5, own)
	}
	if all, err := agree(nil, `{"Version":3,"Value":6}`); err != nil || !slices.Equal(all, []int{5, 6}) {
		t.Errorf("values %v, error %v", all, err)
	}
	_, err := agree(nil, `{"Version":3,"Failed":"no memory"}`)
	if p, ok := errors.AsType[*device.PeerError](err); !ok || p.Rank != 1 || p.Cause != "no memory" {
		t.Errorf("error of a rank that cannot take part is %v", err)
	}
	_, err = agree(nil, `{"Version":4,"Value":6}`)
	if p, ok := errors.AsType[*device.ProtocolError](err); !ok || p.Rank != 1 {
		t.Errorf("error of another version is %v", err)
	}
	own := errors.New("no device")
	if _, err = agree(own, `{"Version":3,"Failed":"no memory"}`); err != own {
		t.Errorf("error of this rank is %v, want its own", err)
	}
}
