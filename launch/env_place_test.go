package launch

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gobench/internal/fuzzing"
)

// Environments as launchers make them; each file is that of one rank, and begins with what is to be
// read from it.
func TestRecordedEnvironments(t *testing.T) {
	files, err := filepath.Glob("testdata/env-*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no environments", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			head, rest, _ := strings.Cut(string(text), "\n")
			env := environment(strings.Split(strings.TrimSpace(rest), "\n")...)
			b, _ := find(env)
			if b == nil {
				t.Fatal("no launcher is found")
			}
			got := b.name
			if b.read != nil {
				p, err := b.read(env)
				got += fmt.Sprintf(" rank %d of %d at %v", p.rank, p.size, p.roots)
				if err != nil {
					got = b.name + " " + err.Error()
				}
			} else if p, err := env.numbered("PMI_RANK", "PMI_SIZE"); err == nil {
				got += fmt.Sprintf(" rank %d of %d", p.rank, p.size)
			}
			if want := strings.TrimPrefix(head, "# "); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// Variables that contradict each other, or leave something out, are refused with a remedy.
func TestSplitWorldsAreRefused(t *testing.T) {
	for _, test := range []struct{ env, want string }{
		{"PMI_FD=9 PMI_RANK=0 PMI_SIZE=2 PMIX_RANK=1 PMIX_NAMESPACE=prterun-h1-77@1 OMPI_COMM_WORLD_SIZE=4", "one launcher was started below the other"},
		{"PMI_RANK=1 PMI_SIZE=4", `PMI_SIZE="4" in the environment says that this process is one of several`},
		{"PMI_FD=9 PMI_RANK=0 PMI_SIZE=1 OMPI_COMM_WORLD_SIZE=4", `OMPI_COMM_WORLD_SIZE="4" in the environment says that this process is one of several`},
		{"OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=1", `OMPI_COMM_WORLD_SIZE="4"`},
		{"PMIX_RANK=1 PMIX_NAMESPACE=prterun-h1-77@1", "the number of ranks is not known: start with --node"},
		{"GOBENCH_NODE=2/2", `GOBENCH_NODE="2/2" in the environment is not a rank and the number of ranks`},
		{"GOBENCH_NODE=0", "is not a rank and the number of ranks"},
		{"ALPS_APP_PE=0", "comes from aprun"},
		{"PALS_RANKID=0 PALS_APINFO=/nowhere", `PALS_APINFO="/nowhere"`},
		{"SLURM_STEP_ID=0 SLURM_PROCID=4 SLURM_STEP_NUM_TASKS=4", `SLURM_PROCID="4" in the environment is not a number from 0 to 3`},
		{"GOBENCH_NODE=1/2 GOBENCH_MEET=h1:99", "anybody could join there without a secret"},
		{"GOBENCH_NODE=1/2 GOBENCH_MEET=h1:99 GOBENCH_SECRET=short", "less than 16 characters"},
		{"GOBENCH_NODE=1/2 GOBENCH_MEET=h1 GOBENCH_SECRET=0123456789abcdef", "is neither HOST:PORT of rank 0 nor file:FOLDER"},
	} {
		rank, err := join(t.Context(), environment(strings.Fields(test.env)...), os.Stderr)
		if rank != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", test.env, err, test.want)
		}
	}
}

func TestExpandNodes(t *testing.T) {
	for _, test := range []struct {
		list string
		want string // names, or a part of the error after a !
	}{
		{"h1", "h1"},
		{"h1,h2", "h1 h2"},
		{"a[01-03,07],b2", "a01 a02 a03 a07 b2"},
		{"n[8-11]", "n8 n9 n10 n11"},
		{"n[098-101]", "n098 n099 n100 n101"},
		{"c[1-2]-ib[0-1],x", "c1-ib0 c1-ib1 c2-ib0 c2-ib1 x"},
		{"rack[1]n[1-2].site", "rack1n1.site rack1n2.site"},
		{"a[1-", "!brackets"},
		{"a]", "!brackets"},
		{"a[[1]]", "!brackets"},
		{"a[2-1]", "!range"},
		{"a[x]", "!range"},
		{"a,,b", "!empty"},
		{"a[1-999999999]", "!more than"},
		{"a[0-9223372036854775807]", "!more than"},
		{"a[0-4611686018427387903]x[0-3]", "!more than"},
		{"a[1-2000][1-2000]", "!more than"},
	} {
		got, err := expandNodes(test.list)
		cause, fails := strings.CutPrefix(test.want, "!")
		switch {
		case fails && (err == nil || !strings.Contains(err.Error(), cause)):
			t.Errorf("%s: %v, %v; want an error with %q", test.list, got, err, cause)
		case !fails && (err != nil || strings.Join(got, " ") != test.want):
			t.Errorf("%s: %v, %v; want %s", test.list, got, err, test.want)
		}
	}
}

func FuzzExpandNodes(f *testing.F) {
	f.Add("a[01-03,07],b2")
	f.Fuzz(func(t *testing.T, list string) {
		names, err := expandNodes(list)
		if err == nil && list != "" && len(names) == 0 {
			t.Errorf("%q has no names", list)
		}
	})
}

// sampleAPInfo is a file of version 5 with four ranks on two hosts.
func sampleAPInfo() []byte {
	b := make([]byte, 160)
	binary.LittleEndian.PutUint32(b, 5)
	table := func(at int, size int, entries ...[]byte) {
		binary.LittleEndian.PutUint64(b[at:], uint64(size))
		binary.LittleEndian.PutUint64(b[at+8:], uint64(len(b)))
		binary.LittleEndian.PutUint32(b[at+16:], uint32(len(entries)))
		for _, e := range entries {
			b = append(b, append(e, make([]byte, size-len(e))...)...)
		}
	}
	pe := func(node byte) []byte { return []byte{0, 0, 0, 0, 0, 0, 0, 0, node, 0, 0, 0} }
	table(apinfoPEs, 12, pe(1), pe(1), pe(0), pe(0))
	table(apinfoNodes, 68, append([]byte{0, 0, 0, 0}, "nid1"...), append([]byte{1, 0, 0, 0}, "nid2"...))
	return b
}

func TestAPInfo(t *testing.T) {
	whole := sampleAPInfo()
	info, err := parseAPInfo(whole)
	if err != nil || !reflect.DeepEqual(info, apinfo{[]string{"nid1", "nid2"}, []int{1, 1, 0, 0}}) {
		t.Errorf("%+v, %v", info, err)
	}
	file := filepath.Join(t.TempDir(), "apinfo")
	os.WriteFile(file, whole, 0o600)
	p, err := readPALS(environment("PALS_APINFO="+file, "PALS_RANKID=2", "PMI_SHARED_SECRET=17"))
	if err != nil || p.rank != 2 || p.size != 4 || !slices.Equal(p.roots, []string{"nid2"}) || p.secret != "17" {
		t.Errorf("%+v, %v", p, err)
	}
	for cut := range whole {
		if info, err := parseAPInfo(whole[:cut]); err == nil {
			t.Errorf("the first %d bytes are taken for %+v", cut, info)
		}
	}
}

func FuzzAPInfo(t *testing.F) {
	f := fuzzing.New(t)
	f.Add(sampleAPInfo())
	f.Fuzz(func(t *testing.T, b []byte) {
		info, err := parseAPInfo(b)
		if err == nil && len(info.nodes) == 0 {
			t.Error("a file without ranks is taken")
		}
	})
}
