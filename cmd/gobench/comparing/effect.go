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
	Minimum string // "2%" or "0.02"; differences below it do not count
	Floor   string // file or folder of records of the machine against itself; "" = not known
}

// DefaultEffect is what counts where nothing is said.
var DefaultEffect = Effect{Minimum: "2%"}

// Fill puts it into options. A share that is none is a *UsageError; warnings take what
// is to be said of the records of the floor.
func (e Effect) Fill(o *compare.Options, warnings io.Writer) error {
	digits, percent := strings.CutSuffix(strings.TrimSpace(e.Minimum), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v < 10) {
		return &UsageError{fmt.Errorf("--min-effect is %q, want a share of the value such as 5%% or 0.05", e.Minimum)}
	}
	if o.Minimum = v; v == 0 {
		o.Minimum = -1
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
		return fmt.Errorf("%s tells no noise floor: it needs 4 launches or more of a cell, as gobench sweep --aa makes them", e.Floor)
	}
	return nil
}
