package verbs

import (
	"errors"
	"testing"

	"gobench/device"
	"gobench/internal/fuzzing"
)

// Settings that are accepted are within what verbs take, whatever was asked for.
func FuzzOptions(t *testing.F) {
	f := fuzzing.New(t)
	for _, o := range declared() {
		f.Add(o.Name, o.Default, "qps", "2", uint16(2))
	}
	f.Add("device", "a+b+c+d+e", "gid", "256", uint16(1))
	f.Add("path_mtu", "4096", "queue", "9", uint16(1000))
	f.Add("peer_timeout", "600000", "segment", "0", uint16(0))
	options := driver.Options()
	f.Fuzz(func(t *testing.T, name, value, other, more string, ranks uint16) {
		o, err := device.ParseOptions(options, map[string]string{name: value, other: more})
		if err != nil {
			return
		}
		s, err := parse(o, int(ranks))
		var wrong *device.ValueError
		switch {
		case err != nil && !errors.As(err, &wrong):
			t.Errorf("%q=%q %q=%q: error %v names no option", name, value, other, more, err)
		case err == nil && (s.queue < 8 || s.queue&(s.queue-1) != 0 || s.credits < 4 || s.credits > 4096 || s.buffer < 256 || s.inline < 0 || s.segment < 1 ||
			s.queues < 1 || s.gid > maxGID || s.mtu < 0 || s.mtu > 5 || s.timeout < 1 || s.timeout > 31 || s.quiet <= 0):
			t.Errorf("%q=%q %q=%q for %d ranks are %+v", name, value, other, more, ranks, s)
		}
	})
}
