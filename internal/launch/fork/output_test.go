package fork

import (
	"bytes"
	"os"
	"testing"
	"time"
)

// The time-out for the end of the output does not run while its reader takes what came before.
func TestASlowReaderGetsAllOutput(t *testing.T) {
	const timeout = 100 * time.Millisecond
	var got bytes.Buffer
	reading := make(chan struct{}, 2)
	o, err := OpenOutputs(writerFunc(func(p []byte) (int, error) {
		reading <- struct{}{}
		time.Sleep(2 * timeout)
		return got.Write(p)
	}), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	o.Files[0].WriteString("first\n")
	<-reading
	o.Files[0].WriteString("second\n")
	o.Started()
	if err := o.End(timeout); err != nil || got.String() != "first\nsecond\n" {
		t.Errorf("got %q, %v", got.String(), err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
