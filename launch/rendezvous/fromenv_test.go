package rendezvous

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"gobench/internal/launch/detect"
)

// The tests are no rank, wherever they run; and whoever pretends is told what is
// wrong.
func TestFromEnv(t *testing.T) {
	for _, name := range detect.OwnVariables {
		if value, ok := os.LookupEnv(name); ok {
			t.Setenv(name, value) // restores it
			os.Unsetenv(name)
		}
	}
	if rank, err := FromEnv(); rank != nil || err != nil {
		t.Errorf("a process that is no rank: %v, %v", rank, err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for _, test := range []struct{ rank, size, fd, core, want string }{
		{"1", "", "", "", "GOBENCH_SIZE in the environment is missing, although there is GOBENCH_RANK"},
		{"1", "0", "3", "", `GOBENCH_SIZE="0"`},
		{"2", "2", "3", "", `GOBENCH_RANK="2" in the environment is not a number from 0 to 1`},
		{"-1", "2", "3", "", `GOBENCH_RANK="-1"`},
		{"one", "2", "3", "", `GOBENCH_RANK="one"`},
		{"1", "2", "2", "", `GOBENCH_FD="2"`},
		{"1", "2", "3", "x", `GOBENCH_SEATS="x"`},
		{"1", "2", "999", "", `GOBENCH_RANK="1" in the environment is left over from another process`},
		{"1", "2", fmt.Sprint(r.Fd()), "", `GOBENCH_RANK="1" in the environment is left over from another process`},
	} {
		t.Run(test.want, func(t *testing.T) {
			for name, value := range map[string]string{detect.EnvRank: test.rank, detect.EnvSize: test.size, detect.EnvFD: test.fd, detect.EnvInode: "1", detect.EnvSeats: test.core} {
				if value != "" {
					t.Setenv(name, value)
				}
			}
			rank, err := FromEnv()
			var wrong *detect.EnvError
			if rank != nil || !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, %v, want %s", rank, err, test.want)
			}
		})
	}
}
