package smem

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/internal/sharedmem"
)

func init() {
	roles["fenced"] = func(job device.Job, _ map[string]string) error {
		d, err := openDevice(job)
		if err != nil {
			return err
		}
		if err := talkFenced(d); err != nil {
			return err
		}
		return d.Close()
	}
}

func openDevice(job device.Job) (device.Device, error) {
	opts, err := device.ParseOptions(driver{}.Options(), nil)
	if err != nil {
		return nil, err
	}
	return driver{}.Open(context.Background(), job, opts)
}

// talkFenced exchanges messages of all protocols with the other rank, in ordinary memory and in
// that of Alloc, which peers cannot map.
func talkFenced(d device.Device) error {
	mem, err := d.Alloc(4 << 20)
	if err != nil {
		return err
	}
	if _, err := d.(device.Sharer).Export(mem); err == nil {
		return fmt.Errorf("memory that no peer can map was exported")
	}
	for i, buf := range [][]byte{make([]byte, 8), make([]byte, 64<<10), make([]byte, 4<<20), mem} {
		for from := range 2 {
			if d.Rank() == from {
				fillWith(buf, byte(i+1))
				if err := d.Send(buf, 1-from, 0, 0); err != nil {
					return err
				}
				continue
			}
			clear(buf)
			if _, err := d.Recv(buf, from, 0, 0); err != nil {
				return err
			}
			if !bytes.Equal(buf, fillWith(make([]byte, len(buf)), byte(i+1))) {
				return fmt.Errorf("rank %d got other data in message %d", d.Rank(), i)
			}
		}
	}
	return nil
}

func fillWith(b []byte, x byte) []byte {
	for i := range b {
		b[i] = x + byte(i>>3)
	}
	return b
}

// TestFencedRanks: ranks in user namespaces of their own may not open each other's descriptors.
// They share a file with a name, which is gone once all have it, and the record says so.
func TestFencedRanks(t *testing.T) {
	if err := mayUnshare(unix.CLONE_NEWUSER); err != nil {
		t.Skipf("SKIPPED: this process may not have namespaces of its own: %v", err)
	}
	files := func() []string {
		list, err := filepath.Glob(sharedmem.Directory + "/gobench-ranks-*")
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	before := files()
	d, err := openDevice(processJobIn(t, 2, "fenced", nil, unix.CLONE_NEWUSER))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files() {
		if !slices.Contains(before, path) {
			t.Errorf("%s is there while ranks exchange messages", path)
		}
	}
	info := d.Info()
	if got := info.Options["cma"]; !strings.HasPrefix(got, "off (") {
		t.Errorf("cma is %q", got)
	}
	want := []string{"messages are copied twice, through a file in /dev/shm, because ranks cannot open each other's memory (rank 1: opening another process: permission denied)"}
	if !slices.Equal(info.Warnings, want) {
		t.Errorf("warnings %q, want %q", info.Warnings, want)
	}
	if got := info.Path(4<<20, device.Traffic{Alloced: true}); got != "rndv-pipeline" {
		t.Errorf("messages between memory of Alloc go by %s", got)
	}
	if err := talkFenced(d); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
