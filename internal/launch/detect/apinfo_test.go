package detect

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"gobench/internal/fuzzing"
)

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
	if err != nil || p.Rank != 2 || p.Size != 4 || !slices.Equal(p.Roots, []string{"nid2"}) || p.Secret != "17" {
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
