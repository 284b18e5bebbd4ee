package importer

import (
	"slices"
	"strings"
	"testing"
)

// summaries imports a log and returns the summary of each point.
func summaries(t *testing.T, log string, given Given) []string {
	t.Helper()
	var list []string
	for _, l := range all(t, log, given) {
		for i := range l.Points {
			list = append(list, summary(&l.Points[i]))
		}
	}
	return list
}

// checkSummaries compares the summaries of the points of a log.
func checkSummaries(t *testing.T, name, log string, given Given, want ...string) {
	t.Helper()
	if got := summaries(t, log, given); !slices.Equal(got, want) {
		t.Errorf("%s:\ngot  %s\nwant %s", name, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

const (
	ucxClient = "|              |              |       overhead (usec)        |   bandwidth (MB/s)  |  message rate (msg/s) |\n" +
		"|    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |\n"
	ucxServer = "| API:          protocol layer     |\n| Test:         tag match bandwidth    |\n| Message size: 1048576   |\n| Window size:  16  |\n"
	ucxFinal  = "Final:                  2000      0.250   100.000   102.400     9800.00     9765.62         9800        9766\n"
)

// Server and client in one terminal print in any order, and the heading may stand before its test.
func TestServerAndClientOfUCXInOneTerminal(t *testing.T) {
	const want = "uniband unknown device 1048576 B x2 window=16 operation=tag | bandwidth_Bps 1.024e+10 mean | message_rate_per_s 9766 mean"
	log := "Waiting for connection...\n" + ucxClient + "Accepted connection from 127.0.0.1:5000\n" + ucxServer + ucxFinal
	checkSummaries(t, "client first", log, Given{}, want)
	for _, w := range all(t, log, Given{})[0].Run.Warnings {
		if strings.Contains(w, "no results") {
			t.Errorf("a warning about the heading: %s", w)
		}
	}
	checkSummaries(t, "server first", ucxServer+ucxClient+ucxFinal, Given{}, want)
	nano := strings.NewReplacer("overhead (usec)", "latency (nsec)").Replace(ucxClient) +
		strings.Replace(ucxServer, "bandwidth", "latency", 1) + "Final: 1000 2000.000 2100.000 2100.000 1.00 1.00 1.0 1.0\n"
	checkSummaries(t, "the unit of the heading", nano, Given{}, "pingpong unknown device 1048576 B x2 operation=tag | half_rtt_s 2e-06 n=1000")
	// A client that failed has its own heading.
	failed := all(t, ucxClient+ucxServer+ucxClient+ucxFinal, Given{})
	if w := strings.Join(failed[0].Run.Warnings, "\n"); !strings.Contains(w, "line 1: ") {
		t.Errorf("no warning about the first client: %s", w)
	}
}

// With -R the first column is another percentile than the median.
func TestPercentileOfUCX(t *testing.T) {
	log := func(share string) string {
		return strings.NewReplacer("bandwidth", "latency", "1048576", "8").Replace(ucxServer) +
			strings.NewReplacer("overhead", "latency", "50.0", share).Replace(ucxClient) + "Final: 1000 3.500 1.500 1.625 5.00 5.00 600000 600000\n"
	}
	for share, want := range map[string]string{
		"50.0": "half_rtt_s 3.5e-06 n=1000",
		"99.0": "half_rtt_s 1.625e-06 mean p99=3.5e-06",
		"90.0": "half_rtt_s 1.625e-06 mean",
	} {
		checkSummaries(t, share, log(share), Given{}, "pingpong unknown device 8 B x2 operation=tag | "+want)
	}
}

// Of several threads the row of all counts; of one that prints groups of digits, or under the name
// of a batch file, the row is as any other.
func TestRowsOfUCX(t *testing.T) {
	const threads = "[thread 0]  4000  0.250  0.500  0.500  1000.00  1000.00  1000  1000\n[thread 1]  4000  0.250  0.625  0.625  900.00  900.00  900  900\n" +
		"Final:   8000                     0.280                  2000.00                 2000\n"
	checkSummaries(t, "threads", ucxServer+ucxClient+threads, Given{},
		"uniband unknown device 1048576 B x2 threads=2 window=16 operation=tag | bandwidth_Bps 2.09715e+09 mean | message_rate_per_s 2000 mean")
	checkSummaries(t, "groups", ucxServer+ucxClient+"Final: 1,000,000 0.250 0.500 0.500 1,000.00 1,000.00 1,000 1,000\n", Given{},
		"uniband unknown device 1048576 B x2 window=16 operation=tag | bandwidth_Bps 1.04858e+09 mean | message_rate_per_s 1000 mean")
	checkSummaries(t, "batch", ucxServer+strings.Replace(ucxClient, "Stage", " Test", 1)+"   tag_bw/1M   2000 0.250 0.500 0.500 1000.00 1000.00 1000 1000\n", Given{},
		"uniband unknown device 1048576 B x2 window=16 operation=tag | bandwidth_Bps 1.04858e+09 mean | message_rate_per_s 1000 mean")
	latency := strings.Replace(ucxServer, "bandwidth", "latency", 1) + strings.Replace(ucxClient, "overhead", "latency", 1) + threads
	if _, err := Import("x", []byte(latency), Given{}); err == nil || !strings.Contains(err.Error(), "with one thread") {
		t.Errorf("a latency of two threads: %v", err)
	}
}

// Tests of the transport layer and windows are cells of their own.
func TestLayersAndWindowsOfUCX(t *testing.T) {
	log := ucxServer + ucxClient + ucxFinal
	const rest = " operation=tag | bandwidth_Bps 1.024e+10 mean | message_rate_per_s 9766 mean"
	checkSummaries(t, "window", strings.Replace(log, ":  16", ":  64", 1), Given{}, "uniband unknown device 1048576 B x2 window=64"+rest)
	checkSummaries(t, "layer", strings.Replace(log, "protocol layer", "transport layer (UCT)", 1), Given{},
		"uniband unknown device 1048576 B x2 window=16 options=api=uct"+rest)
}
