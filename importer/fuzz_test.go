package importer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gobench/internal/fuzzing"
	"gobench/internal/terminal"
	"gobench/record"
)

func FuzzImport(f *testing.F)   { fuzz(f, "") }
func FuzzIMB(f *testing.F)      { fuzz(f, "imb") }
func FuzzOSU(f *testing.F)      { fuzz(f, "osu") }
func FuzzNPB(f *testing.F)      { fuzz(f, "npb") }
func FuzzPerftest(f *testing.F) { fuzz(f, "perftest") }
func FuzzNetPIPE(f *testing.F)  { fuzz(f, "netpipe") }

func FuzzUCX(f *testing.F)    { fuzz(f, "ucx_perftest") }
func FuzzFabric(f *testing.F) { fuzz(f, "fi_pingpong") }
func FuzzNCCL(f *testing.F)   { fuzz(f, "nccl-tests") }
func FuzzJSONL(f *testing.F)  { fuzz(f, "jsonl") }

func FuzzSockperf(f *testing.F)  { fuzz(f, "sockperf") }
func FuzzNetperf(f *testing.F)   { fuzz(f, "netperf") }
func FuzzIperf(f *testing.F)     { fuzz(f, "iperf3") }
func FuzzFabtests(f *testing.F)  { fuzz(f, "fabtests") }
func FuzzHPL(f *testing.F)       { fuzz(f, "hpl") }
func FuzzSTREAM(f *testing.F)    { fuzz(f, "stream") }
func FuzzHyperfine(f *testing.F) { fuzz(f, "hyperfine") }
func FuzzGo(f *testing.F)        { fuzz(f, "go-bench") }

// fuzz checks that the records of any log are valid, contain no terminal control characters, and no
// number that the log does not contain. The seeds of a format are its own logs: others have no
// table of it.
func fuzz(t *testing.F, format string) {
	f := fuzzing.New(t)
	for _, data := range testLogs(t) {
		if _, err := Import("x.log", data, Given{Ranks: 2, Size: 8, Format: format}); err == nil {
			f.Add(data, 2)
			f.Add(data, 0)
		}
	}
	f.Add([]byte("# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)\n1e300 NaN\n-1 1e-400\n9007199254740993 1\n"), 2)
	f.Add([]byte("# OSU MPI Multiple Bandwidth / Message Rate Test\n# [ pairs: 4611686018427387904 ] [ window size: 99999999999999999999 ]\n# Size  MB/s  Messages/s\n1  1  1\n"), 0)
	f.Add([]byte("# Benchmarking Exchange\n# #processes = 2\n#bytes #repetitions t[usec] Mbytes/sec\n 4611686018427387904 1 1 1\n 8 -1 1e300 0x10\n"), 2)
	f.Add([]byte(" \x1b[2J Benchmark Completed.\n CG Benchmark Completed.\n Class = \x1b]0;t\x07\n Time in seconds = 1\n Mop/s total = 1\n Verification = SUCCESSFUL\n Version = \u009b2J\n"), 2)
	f.Add([]byte("| Test: tag match latency |\n| Message size: 99999999999999999999 |\n Final: 1 1 1 1 1 1 1 1\n"), 2)
	f.Add([]byte("bytes #sent #ack total time MB/sec usec/xfer Mxfers/sec\n9e99g 1 =1 0 0s 0 1 0\n1k -5 =5 0 0s 0 1e300 0\n"), 0)
	f.Add([]byte("# nThread 1 nGpus 1 iters: 20 agg iters: 1\n# Collective test starting: all_gather_perf\n# size count time algbw busbw #wrong time algbw busbw #wrong\n 3 1 1e300 1e300 1e300 0 N/A N/A N/A N/A\n"), 2)
	f.Add([]byte(`{"kind":"point","bench":"\u001b[2J","ranks":2,"library":"\u009b","half_rtt_s":{"median":1,"n":1}}`+"\n"+`{"kind":"point","bench":"x","bench":"y"}`+"\n"), 2)
	f.Fuzz(func(t *testing.T, data []byte, ranks int) { checkImport(t, data, Given{Ranks: ranks, Format: format}) })
}

// testLogs returns the logs of the tests.
func testLogs(t testing.TB) (logs [][]byte) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, data)
	}
	return logs
}

// A log of one program that is read as one of another gives no invented records either.
func TestForeignFormats(t *testing.T) {
	for _, data := range testLogs(t) {
		for _, format := range Formats() {
			checkImport(t, data, Given{Ranks: 2, Format: format})
		}
	}
}

// checkImport imports a log and checks its records.
func checkImport(t *testing.T, data []byte, given Given) {
	t.Helper()
	launches, err := Import("x.log", data, given)
	var said []string
	if err != nil {
		said = append(said, err.Error())
	}
	var known *oracle
	for _, l := range launches {
		if known == nil {
			plain, _ := unpacked(data)
			lines, _ := linesOf(decode(plain))
			known = newOracle(textOf(lines))
		}
		known.check(t, l.Points)
		if err := l.Run.Validate(); err != nil {
			t.Error(err)
		}
		said = append(said, l.Run.Warnings...)
		said = append(said, l.Run.Program.(map[string]any)["version"].(string))
		for i := range l.Points {
			p := &l.Points[i]
			if err := p.Validate(); err != nil {
				t.Error(err)
			}
			said = append(said, p.Bench, p.Class, p.Path, p.Method, p.Library, record.OptionsText(p.Options), strings.Join(p.Warnings, " "))
		}
	}
	for _, s := range said {
		if terminal.Plain(s) != s {
			t.Errorf("%q contains terminal control characters", s)
		}
	}
}
