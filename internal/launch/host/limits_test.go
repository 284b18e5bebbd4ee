package host

import (
	"testing"
	"time"
)

// The sum has the own group and those above, in both versions of control groups.
func TestThrottled(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		want  time.Duration
	}{
		{nil, 0},
		{map[string]string{"proc/self/cgroup": "0::/job/step\n", "sys/fs/cgroup/job/step/cpu.stat": "usage_usec 9\nnr_throttled 2\nthrottled_usec 90000\n",
			"sys/fs/cgroup/job/cpu.stat": "throttled_usec 1000\n"}, 91 * time.Millisecond},
		{map[string]string{"proc/self/cgroup": "2:memory:/job\n1:cpu,cpuacct:/job\n", "sys/fs/cgroup/cpu,cpuacct/job/cpu.stat": "nr_throttled 2\nthrottled_time 90000000\n"}, 90 * time.Millisecond},
	} {
		if got := throttled(files(c.files)); got != c.want {
			t.Errorf("%v: %v, want %v", c.files, got, c.want)
		}
	}
}
