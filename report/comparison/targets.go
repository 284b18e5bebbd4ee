package comparison

import (
	"encoding/json"
	"fmt"
	"io"

	"gobench/compare"
)

// targetRow is a row of kind "target".
type targetRow struct {
	Schema   string `json:"schema"`
	Kind     string `json:"kind"` // "target"
	Name     string `json:"name"`
	Measured string `json:"measured"`
	Verdict  string `json:"verdict"` // "met", "missed", or "open" = too few launches
}

// Targets prints the verdict and the measured ratio of each target. It returns errors of the
// writer.
func Targets(w io.Writer, outcomes []compare.Outcome) error {
	_, err := fmt.Fprintln(w, "# targets: ratio of gobench to the fastest rival [interval between launches]; open: fewer than 5 launches of a side")
	for _, o := range outcomes {
		if err == nil {
			_, err = fmt.Fprintf(w, "%-6s  %s: %s\n", o.Word(), o.Target.Name, o.Measured)
		}
	}
	return err
}

// TargetsJSON prints targets as JSON Lines. It returns errors of the writer.
func TargetsJSON(w io.Writer, outcomes []compare.Outcome) error {
	encoder := json.NewEncoder(w)
	for _, o := range outcomes {
		if err := encoder.Encode(targetRow{Schema, "target", o.Target.Name, o.Measured, o.Word()}); err != nil {
			return err
		}
	}
	return nil
}
