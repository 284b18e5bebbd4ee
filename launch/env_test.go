package launch

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	for _, test := range []struct {
		env  string // of NAME=value words
		want string
	}{
		{"", "singleton  spoken"},
		{"HOME=/ SLURM_JOB_ID=7 PMI_RANK=0", "singleton  spoken"},
		{"GOBENCH_RANK=1", "local GOBENCH_RANK=1 spoken"},
		{"PMI_FD=9 SLURM_PROCID=0 PMIX_RANK=0", "pmi PMI_FD=9 not"},
		{"PMI_PORT=host:99", "pmi PMI_PORT=host:99 not"},
		{"PMIX_RANK=3 SLURM_PROCID=3", "pmix PMIX_RANK=3 not"},
		{"PALS_RANKID=3", "pals PALS_RANKID=3 not"},
		{"SLURM_PROCID=3", "slurm SLURM_PROCID=3 not"},
	} {
		l := detect(func(name string) (string, bool) {
			for _, word := range strings.Fields(test.env) {
				if value, ok := strings.CutPrefix(word, name+"="); ok {
					return value, true
				}
			}
			return "", false
		})
		spoken := "not"
		if l.Spoken {
			spoken = "spoken"
		}
		if got := fmt.Sprintf("%s %s %s", l.Name, l.Evidence, spoken); got != test.want || l.About == "" {
			t.Errorf("%q: %s, want %s", test.env, got, test.want)
		}
	}
}

// The tests are no rank, wherever they run; and whoever pretends is told what is
// wrong.
func TestFromEnv(t *testing.T) {
	for _, name := range ownVariables {
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
		{"1", "2", "3", "x", `GOBENCH_CORE="x"`},
		{"1", "2", "999", "", `GOBENCH_RANK="1" in the environment is left over from another process`},
		{"1", "2", fmt.Sprint(r.Fd()), "", `GOBENCH_RANK="1" in the environment is left over from another process`},
	} {
		t.Run(test.want, func(t *testing.T) {
			for name, value := range map[string]string{envRank: test.rank, envSize: test.size, envFD: test.fd, envInode: "1", envCore: test.core} {
				if value != "" {
					t.Setenv(name, value)
				}
			}
			rank, err := FromEnv()
			var wrong *EnvError
			if rank != nil || !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, %v, want %s", rank, err, test.want)
			}
		})
	}
}
