package collective_test

import (
	"errors"
	"testing"

	"gobench/bench"
	"gobench/comm/op"
	"gobench/comm/schedule"
	"gobench/internal/micro/collective"
)

// Every operator, of a type in turn, has its result, in place and not, whole and in parts, and the
// record names it.
func TestOperatorsAndTypes(t *testing.T) {
	kinds := []schedule.Kind{schedule.Allreduce, schedule.Reduce, schedule.ReduceScatter, schedule.Scan, schedule.Exscan}
	var cells []bench.Case
	var operators []*op.Op
	for i, o := range op.All() {
		if i%3 != 0 { // each type is there, as the next test runs all
			continue
		}
		operators = append(operators, o)
		b := collective.New(kinds[i%len(kinds)], collective.Options{Reduction: o.String(), InPlace: i%2 == 1, Overlap: i%3 == 1})
		cells = append(cells, bench.Case{Bench: b, Size: 100 * o.Elem})
	}
	found, err := over(t, "smem", 2, cells)
	if err != nil {
		t.Fatal(err)
	}
	for i, points := range found.Cells() {
		o := operators[i]
		if p := points[0]; p.Datatype != o.Type || p.Reduction != o.Name || p.Checked == 0 {
			t.Errorf("%v: type %q, operator %q, %d checked", o, p.Datatype, p.Reduction, p.Checked)
		}
	}
}

// A reduction fails if one bit of its result is wrong, whatever the type and the operator.
func TestEveryOperatorDetectsAWrongBit(t *testing.T) {
	if n := len(op.All()); n != 112 {
		t.Errorf("%d operators", n)
	}
	for _, o := range op.All() {
		b := collective.New(schedule.Allreduce, collective.Options{Algorithm: broken(schedule.Allreduce, 1, 1), Reduction: o.String()})
		_, err := over(t, "smem", 2, []bench.Case{{Bench: b, Size: 70 * o.Elem}})
		var wrong *bench.DataError
		if !errors.As(err, &wrong) || wrong.Rank != 1 {
			t.Errorf("%v: got %v, want wrong data on rank 1", o, err)
		}
	}
}
