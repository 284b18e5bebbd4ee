package record

import (
	"reflect"
	"strings"
	"testing"
)

// Rows are decoded by their difference to the row before. Each is the same as alone.
func TestARowDoesNotDependOnTheOneBefore(t *testing.T) {
	const head = `{"schema":"gobench/1","kind":"point","run":"r","time":"2026-01-02T03:04:05Z","bench":"pingpong","transport":"tcp","level":"device",`
	const metrics = `"half_rtt_s":{"median":1e-6,"lo":9e-7,"hi":2e-6,"n":20},"bandwidth_Bps":{"median":8000000,"n":20}}`
	rows := []string{
		head + `"size_B":8,"ranks":2,"rank_kind":"process","iterations":10,"warmup_dropped":0,` + metrics,
		head + `"size_B":8,"ranks":2,"rank_kind":"process","cores":[0,1],"iterations":10,"warmup_dropped":0,"method":"m","warnings":["a","b"],` + metrics,
		head + `"size_B":8,"ranks":2,"rank_kind":"process","iterations":100,"warmup_dropped":0,"warnings":["a"],` + metrics, // 10 is the begin of 100
		head + `"size_B":8,"ranks":2,"rank_kind":"process","iterations":1,"warmup_dropped":0,"warnings":["a"],` + metrics,
		head + `"size_B":8,"ranks":2,"rank_kind":"process","options":{"a":"1","sndbuf_kernel":"5"},"iterations":1,"warmup_dropped":0,` + metrics,
		head + `"size_B":8,"ranks":2,"rank_kind":"process","options":{"a":"1","sndbuf_kernel":"5"},"iterations":1,"warmup_dropped":0,"new":{"x":1},` + metrics,
		head + `"size_B":8,"ranks":2,"rank_kind":"process","options":{"a":"1"},"iterations":1,"warmup_dropped":0,"new":{"x":1},` + metrics,
		head + `"size_B":8,"ranks":2,"rank_kind":"process","options":{"a":"1"},"found":{"b":"2"},"iterations":1,"warmup_dropped":0,` + metrics,
		head + `"ranks": 2,"size_B": 8 , "rank_kind":"process", "iterations":1 ,"warmup_dropped":0, ` + metrics,
		head + `"ranks": 2,"size_B": 8 , "rank_kind":"process", "iterations":1 ,"warmup_dropped":0,"method":"\u0041\"", ` + metrics,
		head + `"rank\u0073":2,"size_B":8,"rank_kind":"process","iterations":1,"warmup_dropped":0,"algorithm":"shm-copy",` + metrics,
		head + `"size_B":8,"ranks":2,"rank_kind":"process","grid":"8x8","steps":5,"real":"double","class":"8x8x5-double","iterations":1,"warmup_dropped":0,` + metrics,
		head + `"size_B":8,"ranks":2,"rank_kind":"process","grid":"8x8","steps":5,"real":"double","class":"8x8x5-double","iterations":1,"warmup_dropped":0,"half_rtt_s":{"Median":1,"n":2}}`,
		head + `"size_B":8,"ranks":2,"rank_kind":"process","iterations":1,"warmup_dropped":0,` + metrics,
	}
	file, err := Read(strings.NewReader(strings.Join(rows, "\n") + "\n"))
	if err != nil || len(file.Points) != len(rows) {
		t.Fatalf("%d points, %v", len(file.Points), err)
	}
	for i, row := range rows {
		alone, err := Read(strings.NewReader(row + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(file.Points[i], alone.Points[0]) {
			t.Errorf("row %d is read as\n%+v, alone as\n%+v", i+1, file.Points[i], alone.Points[0])
		}
	}
	for wrong, want := range map[string]string{
		strings.Replace(rows[0], `"ranks":2`, `"ranks":2,"ranks":2`, 1):                                        `field "ranks" occurs twice`,
		strings.TrimSuffix(rows[0], "}") + `,"half_rtt_s":{"median":1,"n":1},"half_rtt_s":{"median":1,"n":1}}`: "occurs twice",
		strings.Replace(rows[0], `"ranks":2`, `"Ranks":2`, 1):                                                  `field "Ranks" must be spelled "ranks"`,
		strings.Replace(rows[0], `"ranks":2,`, ``, 1):                                                          "ranks",
		strings.Replace(rows[0], `"ranks":2`, `"ranks":2x`, 1):                                                 "invalid character 'x'",
	} {
		_, err := Read(strings.NewReader(rows[0] + "\n" + wrong + "\n"))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), ":2:") {
			t.Errorf("%s: error %v, want line 2 and %q", wrong, err, want)
		}
	}
}
