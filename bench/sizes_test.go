package bench

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gobench/internal/fuzzing"
)

func TestParseSizes(t *testing.T) {
	for _, c := range []struct {
		list string
		want []int
	}{
		{"8", []int{8}},
		{"0", []int{0}},
		{"64K", []int{65536}},
		{"1MiB", []int{1 << 20}},
		{"0:8", []int{0, 1, 2, 4, 8}},
		{"1:4", []int{1, 2, 4}},
		{"3:20", []int{3, 4, 8, 16, 20}},
		{"5:5", []int{5}},
		{"1KiB:4k", []int{1024, 2048, 4096}},
		{"64, 8,0:2, 8", []int{0, 1, 2, 8, 64}},
	} {
		got, err := ParseSizes(c.list)
		if err != nil {
			t.Errorf("%q: %v", c.list, err)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.list, diff)
		}
	}
}

func TestAllSizesAreThoseOfIMB(t *testing.T) {
	all, err := ParseSizes("all")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 24 || all[0] != 0 || all[23] != 4<<20 {
		t.Errorf("got %v", all)
	}
	some, err := ParseSizes(DefaultSizes)
	if err != nil {
		t.Fatal(err)
	}
	if len(some) != 12 || slices.ContainsFunc(some, func(n int) bool { return !slices.Contains(all, n) }) {
		t.Errorf("the default is %v", some)
	}
}

func TestParseSizesEndsAtTheLargestInt(t *testing.T) {
	got, err := ParseSizes("0:" + strconv.Itoa(math.MaxInt))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 65 || got[64] != math.MaxInt {
		t.Errorf("got %d sizes, the last %d", len(got), got[len(got)-1])
	}
}

func TestParseSizesErrors(t *testing.T) {
	for list, want := range map[string]string{
		"":                     "empty entry",
		"8,,9":                 "empty entry",
		"8,":                   "empty entry",
		"4MiB:1":               "runs backwards: write 1:4MiB",
		"4KB":                  "write 4KiB",
		"4Q":                   "not a whole number",
		"1:":                   "not a whole number",
		"-8":                   "not a whole number",
		"1.5K":                 "not a whole number",
		"99999999999999999999": "not a whole number",
	} {
		got, err := ParseSizes(list)
		if err == nil {
			t.Errorf("%q: got %v, want an error with %q", list, got, want)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", list, err, want)
		}
	}
}

// Sizes are returned in ascending order, and are read back the same.
func FuzzParseSizes(t *testing.F) {
	f := fuzzing.New(t)
	for _, s := range []string{"8,64K,1MiB", "0:4MiB", "1:1", "5:7,5", " 8 , 9 ", "4:1", "", ",", "0:9223372036854775807"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		if len(list) > 100 { // each entry is read like the others
			return
		}
		sizes, err := ParseSizes(list)
		if err != nil {
			return
		}
		var again strings.Builder
		for i, n := range sizes {
			if n < 0 || i > 0 && n <= sizes[i-1] {
				t.Fatalf("%q is %v", list, sizes)
			}
			fmt.Fprintf(&again, ",%d", n)
		}
		if got, err := ParseSizes(again.String()[1:]); err != nil || !slices.Equal(got, sizes) {
			t.Errorf("%q is %v, and %q is %v, %v", list, sizes, again.String(), got, err)
		}
	})
}
