package experiment

import (
	"testing"

	"gobench/internal/device/decorator"
)

// A fault that did not end the run is an error, which states whether the fault occurred.
func TestUndetectedFaults(t *testing.T) {
	for _, c := range []struct {
		fault fault
		all   []decorator.Tally
		want  string
		code  int
	}{
		{fault{name: "corrupt", every: 7}, []decorator.Tally{{}, {}}, "fault=corrupt:7 was never injected: the ranks sent each other no messages of data", 2},
		{fault{name: "corrupt", every: 7}, []decorator.Tally{{Seen: 6}, {Seen: 3}}, "fault=corrupt:7 was never injected: no rank received more than 6 messages of data; want a number up to that", 2},
		{fault{name: "corrupt", every: 7}, []decorator.Tally{{Seen: 15, Done: 2}, {Seen: 9, Done: 1}}, "fault=corrupt:7 was not detected: 3 of 24 messages of data were damaged, and no check reported one of them", 1},
		{fault{name: "drop", every: 7}, []decorator.Tally{{Seen: 6}, {}}, "fault=drop:7 was never injected: no rank had more than 6 operations with the last one; want a smaller number", 2},
	} {
		if e := c.fault.undetected(c.all); e.Error() != c.want || e.Code() != c.code {
			t.Errorf("%q with code %d, want %q with %d", e, e.Code(), c.want, c.code)
		}
	}
}
