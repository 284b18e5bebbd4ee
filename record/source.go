package record

import (
	"encoding/hex"
	"fmt"
)

// Statistics of imported values whose Median is not a median.
const (
	Mean     = "mean"          // of events
	RankMean = "mean of ranks" // mean over ranks of their means of events
	Best     = "best"          // of several trials
)

// A Source is the log that a run was imported from.
type Source struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // of all bytes of the log
}

func (s *Source) check() string {
	sum, err := hex.DecodeString(s.SHA256)
	switch {
	case s.Name == "":
		return "name must be given"
	case err != nil || len(sum) != 32:
		return fmt.Sprintf("sha256 is %q, must be 64 hexadecimal digits", s.SHA256)
	}
	return ""
}
