package comparing

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"gobench/bench/compare"
)

// Effect is what a person says about which differences count, the same for every verb
// that compares.
type Effect struct {
	Minimum string // "2%" or "0.02"; differences below it do not count; "" = the default of compare.Options
	Floor   string // file or folder of records of the machine against itself; "" = not known
}

// Fill puts it into options. A share that is none is a *UsageError; warnings take what
// is to be said of the records of the floor.
func (e Effect) Fill(o *compare.Options, warnings io.Writer) error {
	if e.Minimum != "" {
		v, err := Share("--min-effect", e.Minimum)
		if err != nil {
			return err
		}
		if o.Minimum = v; v == 0 {
			o.Minimum = -1
		}
	}
	if e.Floor == "" {
		return nil
	}
	file, err := read(e.Floor, warnings)
	if err != nil {
		return err
	}
	o.Floor = compare.NewFloor(file)
	if o.Floor.Cells() == 0 {
		return fmt.Errorf("%s tells no noise floor: it needs 8 launches or more of a cell, as gobench sweep --aa makes them", e.Floor)
	}
	return nil
}

// Share reads the value of a flag that is a share, "5%" or "0.05". An error is a *UsageError.
func Share(flag, text string) (float64, error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v < 10) {
		return 0, &UsageError{fmt.Errorf("%s is %q, want a share of the value such as 5%% or 0.05", flag, text)}
	}
	return v, nil
}
