package remedy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"testing"
)

// flags words options as a program with a command line does.
func flags(o Option) string {
	if o.Transport {
		return "--set " + o.Name + "=" + o.Value
	}
	return "--" + plain(o)
}

// An error that was made before the program has set its words has them when it is printed.
func TestOptionsAreWordedWhenTheyArePrinted(t *testing.T) {
	defer Wording(nil)
	list := []fmt.Stringer{Named("sizes"), Set("start", "barrier"), Set("launches", 6), Transport("bind", ""), Textf("use %v", Set("level", "raw"))}
	err := Errorf("%v is %d: %w, %w", Named("window"), 0, io.EOF, fs.ErrExist)
	print := func() (texts []string) {
		for _, o := range list {
			texts = append(texts, o.String())
		}
		return append(texts, err.Error())
	}
	if got, want := print(), []string{"sizes", "start=barrier", "launches=6", "bind", "use level=raw", "window is 0: EOF, file already exists"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	Wording(flags)
	if got, want := print(), []string{"--sizes", "--start=barrier", "--launches=6", "--set bind=", "use --level=raw", "--window is 0: EOF, file already exists"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A program reads the options of an error, and what it wraps, through other errors.
func TestErrorsCarryTheirOptions(t *testing.T) {
	err := fmt.Errorf("rank 1: %w", Errorf("%v needs %v: %w", Named("pictures"), Set("every", 5), io.EOF))
	found, ok := errors.AsType[*Error](err)
	if !ok || !slices.Equal(found.Options, []Option{{Name: "pictures"}, {Name: "every", Value: "5"}}) || !errors.Is(err, io.EOF) {
		t.Errorf("%v has %+v", err, found)
	}
	if plain := Errorf("%v is needed", Named("prices")); errors.Unwrap(plain) != nil || errors.Is(plain, io.EOF) {
		t.Errorf("%v wraps an error", plain)
	}
}

func Example() {
	err := Errorf("%v is %d, want 1 to %d messages in flight", Named("window"), 0, 64)
	fmt.Println(err)
	// Output: window is 0, want 1 to 64 messages in flight
}
