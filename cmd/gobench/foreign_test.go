package main

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"gobench/cmd/gobench/internal/glossary"
	"gobench/internal/exit"
	"gobench/internal/lazyregexp"
)

// flagText matches a flag in a text.
var flagText = lazyregexp.New(`--([a-z][a-z-]+)`)

// Words of other programs that people type are answered by every verb: with a flag that the verb
// has, or with the verbs that have it.
func TestWordsOfOtherPrograms(t *testing.T) {
	for _, c := range commands(program.Root(nil)) {
		if !c.IsAvailableCommand() || c.HasSubCommands() {
			continue
		}
		words := slices.Concat(slices.Collect(maps.Keys(glossary.ForeignFlags)), []string{"-t30", "-P4", "--duration", "--iterations", "--warmup", "--sizes", "--window"})
		for _, flag := range words {
			name := strings.TrimLeft(flag, "-")
			if strings.Contains(flag, " ") || c.Flags().Lookup(name) != nil || c.Flags().ShorthandLookup(name[:1]) != nil {
				continue // for one verb alone, or the verb has a flag of this name
			}
			answer := program.FlagError(c, c.ParseFlags([]string{flag})).Error()
			text, known := strings.CutPrefix(answer, `unknown flag "`+flag+`"`)
			means, owners, elsewhere := strings.Cut(text, "; that is for gobench ")
			if !known || len(means) < 10 && !elsewhere || strings.Contains(means, "--help") {
				t.Errorf("%s %s has no answer: %s", c.Name(), flag, answer)
			}
			owner := c
			if elsewhere {
				owner, _, _ = c.Root().Find(strings.FieldsFunc(owners, func(r rune) bool { return strings.ContainsRune(",;", r) })[:1])
			}
			for _, m := range flagText.FindAllStringSubmatch(means, -1) {
				if owner.Flags().Lookup(m[1]) == nil {
					t.Errorf("%s %s: the answer names a flag that is not there: %s", c.Name(), flag, answer)
				}
			}
		}
	}
	for words, want := range map[string]string{
		// verbs and benchmarks
		"iperf3": "--bench=uniband", "sockperf": "gobench p2p --transport=tcp", "under-load": "gobench p2p", "TCP_RR": "gobench p2p", "ib_send_bw": "--transport=ibv",
		"osu_latency": "--bench=pingpong", "osu_bw": "--bench=uniband", "osu_allreduce": "gobench coll allreduce", "osu_neighbor_alltoallw": "gobench coll neighbor_alltoallv", "osu_ineighbor_allgather": "gobench coll ineighbor_allgather", "PingPong": "--bench=pingpong", "IMB-MPI1": "--bench=all",
		"all_reduce_perf": "gobench coll allreduce", "broadcast_perf": "gobench coll bcast", "hyperfine": "gobench time", "latency": "--bench=pingpong", "CG": "gobench npb cg",
		// flags
		"p2p -t 30": "--duration=TIME", "p2p -P 4": "-n 8", "coll -g 2": "-n", "coll -e 8": "--sizes=MIN:MAX", "npb -t 30": "--duration=TIME", "p2p -msglen 8": "--sizes=LIST",
		"p2p -D 3": "--duration=TIME", "coll -i 5": "--iterations=N", "time --export-json x": "--export", "p2p --report_gbits": "GB/s", "fdtd --runs 3": "--launches=N",
		// values
		"p2p -o json": "--json", "p2p --fail-if=rtt.p95>1us": "p90", "compare -t 30": "--duration=TIME here (0 = until Ctrl-C); that is for gobench coll, fdtd, npb, p2p, startup; gobench compare --help",
		"show --duration=30": "that is for gobench coll", "p2p -P4": "-n 8", "npb cg -i 5": "--repeat=N", "time -i ls": "--success=CODES", "time -o json ls": "--json", "sweep quick -o json": "--json", "pairs --hosts=a,b -o json": "--json",
	} {
		if answer := answered(t, strings.Fields(words)...); !strings.Contains(answer, want) {
			t.Errorf("%s: no %q in %s", words, want, answer)
		}
	}
	for _, words := range []string{"p2p PingPong", "p2p osu_latency", "coll all_reduce", "coll MPI_Allreduce", "coll Reduce_scatter", "npb CG --class=s -n 1", "p2p --transport=SHM", "p2p --fail-if=RTT@8>9ms"} {
		var out, said bytes.Buffer
		if code := gobench(t.Context(), append(strings.Fields(words), "--dry-run"), &out, &said); code != 0 {
			t.Errorf("%s: %d, %s", words, code, said.String())
		}
	}
}

// answered returns the error about a command line, which must be one of usage.
func answered(t *testing.T, words ...string) string {
	t.Helper()
	var out, said bytes.Buffer
	if code := gobench(t.Context(), words, &out, &said); code != exit.Usage {
		t.Errorf("%q ends with %d: %s", words, code, said.String())
	}
	return said.String()
}
