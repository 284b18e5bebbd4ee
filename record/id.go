package record

import (
	"crypto/rand"
	"encoding/hex"
	"time"
)

// NewID returns an identifier for a run: its time, for readers, and random digits, so that runs of
// many machines can be in one file.
func NewID(t time.Time) string {
	var b [4]byte
	rand.Read(b[:]) // never fails
	return t.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(b[:])
}
