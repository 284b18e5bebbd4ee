package schedule_test

import (
	"slices"
	"testing"

	"gobench/comm/schedule"
)

// Sends of the first part are waited for after the second part, and receives before it.
func TestOverlap(t *testing.T) {
	program := schedule.Build(schedule.Shape{Kind: schedule.Bcast, Ranks: 3, Bytes: 1, Elem: 1}, func(b *schedule.Builder) {
		b.Wait(b.Isend(b.RecvBuf(), 1)) // before both parts
		b.Overlap(func() {
			in, out := b.Irecv(b.RecvBuf(), 1), b.Isend(b.RecvBuf(), 2)
			b.Wait(in, out)
		}, func() { b.Send(b.RecvBuf(), 1) })
	})
	var codes []schedule.Code
	for _, i := range program.Instrs {
		codes = append(codes, i.Code)
	}
	want := []schedule.Code{schedule.Isend, schedule.Wait, schedule.Irecv, schedule.Isend, schedule.Wait, schedule.Send, schedule.Wait}
	if !slices.Equal(codes, want) || program.Instrs[4].Slot != 1 || program.Instrs[6].Slot != 2 {
		t.Errorf("%v, want the codes %v", program.Instrs, want)
	}
}
