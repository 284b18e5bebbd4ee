package importer

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// GitLab marks lines that continue the one before with +. The results do not depend on where it
// cuts lines.
func TestLinesThatGitLabContinues(t *testing.T) {
	for _, file := range []string{"osu.log", "nccl.log", "imb.log"} {
		data, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		want := results(t, file, data)
		for every := 3; every < 60; every += 7 { // characters
			var b strings.Builder
			stamp := 0
			write := func(mark, text string) {
				stamp++
				fmt.Fprintf(&b, "2026-05-06T07:%02d:%02d.%06dZ %s%s\n", stamp/60%60, stamp%60, stamp, mark, text)
			}
			for line := range strings.Lines(string(data)) {
				line = strings.TrimSuffix(line, "\n")
				for mark := "01O "; ; mark = "01O+" {
					n := min(every, len(line))
					write(mark, line[:n])
					if line = line[n:]; line == "" {
						break
					}
					write("01E ", "a message") // of another stream
				}
			}
			if got := results(t, file, []byte(b.String())); !reflect.DeepEqual(got, want) {
				t.Errorf("%s cut after %d: %d launches, want %d:\n%+v\n%+v", file, every, len(got), len(want), got, want)
			}
		}
	}
}

// Messages of NCCL_DEBUG=INFO stand behind each part of a row that nccl-tests print.
func TestRowsThatMessagesOfNCCLSplit(t *testing.T) {
	data, err := os.ReadFile("testdata/nccl.log")
	if err != nil {
		t.Fatal(err)
	}
	want := results(t, "nccl.log", data)
	for _, host := range []string{"node1", "10-0-0-1", "1n"} {
		message := host + ":4711:4720 [1] NCCL INFO Channel 00/24 : 0 1\n"
		text := message
		for line := range strings.Lines(string(data)) {
			words := strings.Fields(line)
			if len(words) != 13 || strings.HasPrefix(line, "#") {
				text += line
				continue
			}
			part := func(words []string) string { return "  " + strings.Join(words, "   ") }
			text += part(words[:5]) + message + message + part(words[5:9]) + message + part(words[9:]) + "\n"
		}
		if got := results(t, host, []byte(text)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v\nwant %+v", host, got, want)
		}
	}
}

// A row whose end is missing is left out, and the next one is read.
func TestARowWhoseEndIsMissing(t *testing.T) {
	data, err := os.ReadFile("testdata/nccl.log")
	if err != nil {
		t.Fatal(err)
	}
	message := "node1:4711:4720 [1] NCCL INFO Channel 00/24 : 0 1\n"
	head, rows, _ := strings.Cut(string(data), "           8 ")
	_, next, _ := strings.Cut(rows, "\n")
	launches := all(t, message+head+"           8             1     float    none      -1"+message+next, Given{})
	if p := Join(launches).Points; len(p) != 2 && len(p) != 1 || p[0].Size != 524288 || !strings.Contains(said(launches), "messages of NCCL split the row before, and its end is missing") {
		t.Errorf("%+v, %s", p, said(launches))
	}
	launches = all(t, message+string(data)+"     2097152        262144     float    none      -1"+message+message, Given{})
	if p := Join(launches).Points; !strings.Contains(said(launches), "its end is missing") || p[len(p)-1].Size != 524288 {
		t.Errorf("%+v, %s", p, said(launches))
	}
}
