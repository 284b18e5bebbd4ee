package importer

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"

	"gobench/record"
)

// prefixes lists texts that launchers and loggers put before each line, by its number.
var prefixes = map[string]func(n int) string{
	"mpirun --tag-output":       func(int) string { return "[1,0]<stdout>:" },
	"mpirun --timestamp-output": func(n int) string { return fmt.Sprintf("Mon Oct 15 15:%02d:%02d 2018[1,0]<stdout>:", n/60%60, n%60) },
	"prterun":                   func(int) string { return "[prterun-node1-4711@1,0]<stdout>: " },
	"srun -l":                   func(int) string { return "0: " },
	"srun -l of 16 tasks":       func(int) string { return " 0: " },
	"mpiexec -prepend-rank":     func(int) string { return "[0] " },
	"rank in brackets":          func(int) string { return "[rank 0] " },
	"clock":                     func(n int) string { return fmt.Sprintf("%02d:%02d:%02d  ", n/3600, n/60%60, n%60) },
	"clock and rank":            func(n int) string { return fmt.Sprintf("00:%02d:%02d.%03d [1,0]<stdout>:", n/60%60, n%60, n) },
	"ISO 8601":                  func(n int) string { return fmt.Sprintf("2024-03-0%dT10:%02d:%02d.%06dZ ", 1+n%9, n/60%60, n%60, n) },
	"date in brackets":          func(n int) string { return fmt.Sprintf("[2024-03-01 10:%02d:%02d] ", n/60%60, n%60) },
	"seconds":                   func(n int) string { return fmt.Sprintf("[%5d.%06d] ", n, n) },
	"epoch":                     func(n int) string { return fmt.Sprintf("%d ", 1700000000+n) },
	"pdsh":                      func(int) string { return "node017: " },
	"syslog":                    func(n int) string { return fmt.Sprintf("Jun %2d 10:%02d:%02d node1 app[815]: ", 1+n%28, n/60%60, n%60) },
	"cat -n":                    func(n int) string { return fmt.Sprintf("%6d\t", n) },
}

// The results of a log do not depend on what a launcher puts before its lines, on line ends, on the
// encoding, or on compression.
func TestPrefixesAndEncodings(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := results(t, file, data)
		try := func(name string, data []byte) {
			t.Run(filepath.Base(file)+"/"+name, func(t *testing.T) {
				if got := results(t, name, data); !reflect.DeepEqual(got, want) {
					t.Errorf("%d launches, want %d:\n%+v\n%+v", len(got), len(want), got, want)
				}
			})
		}
		for name, prefix := range prefixes {
			if strings.HasSuffix(file, "np.out") {
				break // which has no banner before which a prefix could be recognised
			}
			var b bytes.Buffer
			n := 0
			for l := range strings.Lines(string(data)) {
				n++
				b.WriteString(prefix(n) + l)
			}
			try(name, b.Bytes())
		}
		crlf := strings.ReplaceAll(string(data), "\n", "\r\n")
		try("CRLF", []byte(crlf))
		try("byte order mark", append([]byte("\xef\xbb\xbf"), data...))
		try("colors", []byte("\x1b[0m"+strings.ReplaceAll(string(data), "\n", "\x1b[32m\n")))
		try("titles and character sets", []byte("\x1b]0;u@n1: ~\x07\x1b[?2004l"+strings.ReplaceAll(string(data), "\n", "\x1b(B\x1b[m\n\x1b]2;n1\x1b\\")))
		// Lines of others among those of a table; a row of np.out and the aligned one of an omni
		// test are told by the lines beside them.
		if !strings.Contains(string(data), "{") && !strings.HasSuffix(file, "np.out") && !strings.HasSuffix(file, "omni.log") {
			for _, l := range []string{"[n1:4711] WARNING: no device 3 4", "srun: error: task 3 of 4", "+ sleep 1", "-----------", ""} {
				try("between lines: "+l, []byte(strings.ReplaceAll(string(data), "\n", "\n"+l+"\n")))
			}
		}
		units := utf16.Encode([]rune(crlf))
		little, big := []byte{0xff, 0xfe}, []byte{0xfe, 0xff}
		for _, u := range units {
			little, big = append(little, byte(u), byte(u>>8)), append(big, byte(u>>8), byte(u))
		}
		try("UTF-16 of PowerShell", little)
		try("UTF-16 without a mark", little[2:])
		try("UTF-16, big end first", big)
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(data)
		_ = z.Close()
		try("gzip", packed.Bytes())
	}
}

// results returns the points of the launches of a log, without what depends on the bytes of the
// log.
func results(t *testing.T, name string, data []byte) (all [][]record.Point) {
	t.Helper()
	launches, err := Import(name, data, Given{Ranks: 2, Time: testTime})
	if err != nil {
		t.Error(err)
	}
	for _, l := range launches {
		for i := range l.Points {
			l.Points[i].Run = ""
		}
		all = append(all, l.Points)
	}
	return all
}

// Lines of several ranks, which each ran the program alone, are read apart.
func TestLinesOfSeveralRanks(t *testing.T) {
	one := "# Benchmarking PingPong\n# #processes = 2\n#bytes #repetitions t[usec] Mbytes/sec\n8 1000 %d.00 0.00\n16 1000 %d.50 0.00\n"
	texts := make([][]string, 3)
	for rank := range texts {
		texts[rank] = strings.SplitAfter(fmt.Sprintf(one, rank+1, rank+1), "\n")
	}
	var b strings.Builder
	for n := range texts[0] {
		for rank := range texts {
			if texts[rank][n] != "" {
				fmt.Fprintf(&b, "%d: %s", rank, texts[rank][n])
			}
		}
	}
	launches, err := Import("x", []byte(b.String()), Given{})
	if err != nil || len(launches) != 3 {
		t.Fatalf("%+v, %v", launches, err)
	}
	for rank, l := range launches {
		if len(l.Points) != 2 || l.Points[1].Metrics.Median("half_rtt_s") != (float64(rank+1)+0.5)*1e-6 {
			t.Errorf("rank %d: %+v", rank, l.Points)
		}
	}
}

// A prefix varies from line to line in its fraction of a second and its severity.
func TestPrefixesThatVary(t *testing.T) {
	rows := []string{"# OSU MPI Latency Test v5.9", "# Size          Latency (us)", "8   1.25", "16   1.50"}
	for name, prefixes := range map[string][4]string{
		"fractions":   {"[2024-07-02T10:11:12.250Z] ", "[2024-07-02T10:11:12.500Z] ", "[2024-07-02T10:11:13Z] ", "[2024-07-02T10:11:13.125Z] "},
		"whole":       {"10:11:12 ", "10:11:12.5 ", "10:11:13,25 ", "10:11:14 "},
		"severities":  {"2024-07-02 10:11:12,250 INFO  [main] ", "2024-07-02 10:11:12,250 WARN  [main] ", "2024-07-02 10:11:12,250 ERROR [main] ", "2024-07-02 10:11:12,250 DEBUG [main] "},
		"in brackets": {"[info ] ", "[error] ", "[warning] ", "[info ] "},
		"a number":    {"7 ", "", "", ""},
		"numbers":     {"7 ", "8 ", "9 ", "10 "},
	} {
		log := ""
		for i, row := range rows {
			log += prefixes[i] + row + "\n"
		}
		launches := all(t, log, Given{})
		if p := launches[0].Points; len(launches) != 1 || len(p) != 2 || p[0].Size != 8 || p[1].Metrics.Median("half_rtt_s") != 1.5e-6 || strings.Contains(said(launches), "left out") {
			t.Errorf("%s: %+v, %s", name, p, said(launches))
		}
	}
}

// A row without the prefix of its program is left out with a warning; a program without one is
// read.
func TestARowWithoutThePrefix(t *testing.T) {
	log := "n1: # OSU MPI Latency Test v5.9\nn1: # Size          Latency (us)\nn1: 8   1.25\n16   1.50\nplain text\n" +
		"# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n8    2.50\n"
	launches := all(t, log, Given{})
	warnings := said(launches)
	if len(Join(launches).Points) != 2 || !strings.Contains(warnings, "line 4 is left out") || strings.Contains(warnings, "line 8") {
		t.Errorf("%d points, %s", len(Join(launches).Points), warnings)
	}
}

// A row whose prefix no heading has is named.
func TestARowOfAnotherPrefix(t *testing.T) {
	log := "n1:0: # OSU MPI Latency Test v5.9\nn1:0: # Size          Latency (us)\nn1:0: 8   1.25\nn1:1: 16   1.50\nn1:1: 3 of 4 are here\n"
	launches := all(t, log, Given{})
	warnings := said(launches)
	if len(Join(launches).Points) != 1 || !strings.Contains(warnings, "line 4 is left out: no heading of a table has its prefix") || strings.Contains(warnings, "5") {
		t.Errorf("%d points, %s", len(Join(launches).Points), warnings)
	}
}
