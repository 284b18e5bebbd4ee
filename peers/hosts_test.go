// Package peers compares gobench with MPI and plain C programs between the hosts of a lab; on one
// host that is a sweep (configs/rivals).
package peers

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"gobench/comm/coll"
	"gobench/comm/schedule"
	"gobench/internal/lab"
)

var (
	hostRounds = flag.Int("rounds", 5, "rounds of BenchmarkHosts, in each of which every program is started once")
	hostSeed   = flag.Uint64("seed", 1, "seed of their order in BenchmarkHosts")
	hostOnly   = flag.String("only", "", "regular expression of the programs that BenchmarkHosts runs beside gobench (default: all)")
)

// BenchmarkHosts compares gobench with polled C sockets, Open MPI and MPICH between hosts of a lab:
// a ping-pong over TCP between two hosts, and collectives of four ranks on each of four, placed
// host by host and in turn. make compare-hosts builds the programs and runs it.
func BenchmarkHosts(b *testing.B) {
	root, err := filepath.Abs("..")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("pingpong", func(b *testing.B) { comparePingPong(b, root) })
	b.Run("collectives", func(b *testing.B) { compareCollectives(b, root, false) })
	b.Run("in-turn", func(b *testing.B) { compareCollectives(b, root, true) })
}

// A cell is one operation of one size in bytes.
type cell struct {
	op   string
	size int
}

func (c cell) String() string { return fmt.Sprintf("%s %d", c.op, c.size) }

const pingpong = "pingpong"

// times holds the medians of the cells of one run, in seconds.
type times map[cell]float64

// readTimes reads the rows of gobench's records or of the programs in c, which print the same form;
// of several algorithms it takes the fastest. A failed run is handed through.
func readTimes(out string, err error) (times, error) {
	if err != nil {
		return nil, err
	}
	t := times{}
	for line := range strings.Lines(out) {
		var row struct {
			Kind, Bench string
			Size        int                      `json:"size_B"`
			Half        struct{ Median float64 } `json:"half_rtt_s"`
			Global      struct{ Median float64 } `json:"global_s"`
		}
		if !strings.HasPrefix(line, "{") {
			continue // of a launcher
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			return nil, fmt.Errorf("%q is no row: %w", line, err)
		}
		c := cell{row.Bench, row.Size}
		if x := row.Half.Median + row.Global.Median; row.Kind == "point" && x > 0 && (t[c] == 0 || x < t[c]) {
			t[c] = x
		}
	}
	return t, nil
}

// A contender is one configuration of one library between hosts.
type contender struct {
	name string
	run  func() (times, error)
}

// pingPongSizes are the sizes of the messages between two hosts. All programs time one message at a
// time: those in c take the samples of pingPongPlan, gobench as many as fit its budget.
var pingPongSizes = []int{8, 1 << 10, 64 << 10}

const pingPongPlan = "pingpong:8:5000:1,pingpong:1024:5000:1,pingpong:65536:2000:1"

func comparePingPong(b *testing.B, root string) {
	hosts := lab.Hosts(b, 2, root)
	cores := strings.Split(hosts[0].Cores(), "-")[0] + "," + strings.Split(hosts[1].Cores(), "-")[0]
	program := filepath.Join(root, "peers/c/bin/mpi_pingpong")
	env := []string{"GOBENCH_DIR=" + hosts[0].Shared(), "GOBENCH_CORES=" + cores}
	var cells []cell
	for _, size := range pingPongSizes {
		cells = append(cells, cell{pingpong, size})
	}
	level := func(name string) func() (times, error) {
		return func() (times, error) {
			return gobenchOn(hosts[0], root, "p2p", "--hosts=h1,h2", "--transport=tcp", "--level="+name, "--sizes="+sizeList(pingPongSizes), "--budget=100ms", "--batch=1")
		}
	}
	interleave(b, cells, []contender{
		{"gobench", level("device")},
		{"C polled", func() (times, error) {
			return readTimes(run(exec.CommandContext(b.Context(), "timeout", limit, filepath.Join(root, "peers/c/bin/tcp_pingpong"), pingPongPlan), "GOBENCH_CORES="+cores, "PEERS_ADDRESS="+hosts[0].Address,
				"PEERS_NETWORKS="+hosts[0].Network()+","+hosts[1].Network()))
		}},
	})
	interleave(b, cells, []contender{
		{"gobench", level("comm")},
		{"Open MPI", func() (times, error) { return readTimes(openMPIOn(hosts, 1, env, btlTCP, program, pingPongPlan)) }},
		{"Open MPI UCX", func() (times, error) {
			return readTimes(openMPIOn(hosts, 1, append([]string{"UCX_TLS=tcp,self", "UCX_NET_DEVICES=eth0"}, env...), overUCX, program, pingPongPlan))
		}},
		{"MPICH", func() (times, error) {
			return readTimes(mpichOn(hosts, 1, env, program, pingPongPlan))
		}},
	})
}

// The collectives between hosts.
var (
	hostOps   = []string{"barrier", "bcast", "reduce", "allreduce"}
	hostSizes = []int{8, 1 << 10, 8 << 10, 64 << 10}
)

const (
	hostBatch   = 100
	hostSamples = 7
)

// spinning are the samples and the operations in each of MPICH, whose waiting ranks keep the core
// until the kernel takes it away: an operation of ranks that share cores takes 20 to 400 ms then.
const spinning = 3

// compareCollectives compares collectives of four ranks on each of four hosts, one host after the
// other or in turn.
func compareCollectives(b *testing.B, root string, inTurn bool) {
	hosts := lab.Hosts(b, 4, root)
	const each = 4
	var slots []string
	for _, h := range hosts {
		slots = append(slots, fmt.Sprintf("%s:%d", h.Name, each))
	}
	var cells []cell
	for _, op := range hostOps {
		for _, size := range hostSizes {
			if op == "barrier" {
				size = 0
			}
			if c := (cell{op, size}); !slices.Contains(cells, c) {
				cells = append(cells, c)
			}
		}
	}
	plan := func(samples, batch int) string {
		var list []string
		for _, c := range cells {
			list = append(list, fmt.Sprintf("%s:%d:%d:%d", c.op, c.size, samples, batch))
		}
		return strings.Join(list, ",")
	}
	policy, byNode := "fill", []string(nil)
	if inTurn {
		policy, byNode = "spread", []string{"--map-by", "node"}
	}
	own := func(algorithms, table string) func() (times, error) {
		return func() (times, error) {
			return gobenchOn(hosts[0], root, "coll", "--hosts="+strings.Join(slots, ","), "--map="+policy, "--transport=smem+tcp", "--op="+strings.Join(hostOps, ","),
				"--sizes="+sizeList(hostSizes), "--algo="+algorithms, "--table="+table, "--pin=none", "--batch="+fmt.Sprint(hostBatch), "--iterations="+fmt.Sprint(hostSamples), "--warmup=100")
		}
	}
	flat := filepath.Join(hosts[0].Shared(), "flat.toml") // the defaults of ranks that know nothing of hosts
	rules := "version = 1\n"
	for _, c := range cells {
		kind, _ := schedule.ParseKind(c.op)
		choice := coll.Defaults().Choose("", &schedule.Shape{Kind: kind, Ranks: each * len(hosts), Bytes: c.size, Elem: 8, Commutative: true}, false)
		rules += fmt.Sprintf("[[rule]]\noperation = %q\nbytes = %d\nalgorithm = %q\n", c.op, c.size, choice)
	}
	if err := os.WriteFile(flat, []byte(rules), 0o644); err != nil {
		b.Fatal(err)
	}
	program, gate := filepath.Join(root, "peers/c/bin/mpi_coll"), filepath.Join(hosts[0].Shared(), "gate")
	shared := "GOBENCH_DIR=" + hosts[0].Shared()
	openMPI := func(options ...string) func() (times, error) {
		return func() (times, error) {
			os.Remove(gate)
			return readTimes(openMPIOn(hosts, each, []string{shared}, options, program, plan(hostSamples, hostBatch)))
		}
	}
	mpich := func(env ...string) func() (times, error) {
		return func() (times, error) {
			os.Remove(gate)
			return readTimes(mpichOn(hosts, each, append([]string{shared, "UCX_NET_DEVICES=eth0"}, env...), program, plan(spinning, spinning)))
		}
	}
	yielding := slices.Concat([]string{"--mca", "mpi_yield_when_idle", "1"}, both, byNode)
	list := []contender{
		{"gobench", own("auto", "none")},
		{"gobench flat", own("auto", flat)},
		{"gobench binomial", own("binomial", "none")},
		{"Open MPI", openMPI(yielding...)},
		{"Open MPI han", openMPI(append(slices.Clip(yielding), "--mca", "coll_han_priority", "100")...)},
		{"Open MPI han sm", openMPI(append(slices.Clip(yielding), "--mca", "coll_han_priority", "100", "--mca", "coll_sm_priority", "90")...)},
	}
	if !inTurn {
		list = append(list, contender{"MPICH", mpich()}, contender{"MPICH flat", mpich("MPIR_CVAR_ENABLE_SMP_COLLECTIVES=0")})
	}
	interleave(b, cells, list)
}

// asRoot lets Open MPI run as root, as in containers.
var asRoot = []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}

// Options of Open MPI for messages over TCP, by its own code and by UCX.
var (
	btlTCP  = []string{"--mca", "pml", "ob1", "--mca", "btl", "self,tcp"}
	overUCX = []string{"--mca", "pml", "ucx", "--mca", "pml_ucx_tls", "any", "--mca", "pml_ucx_devices", "any"}
)

// both are the options of Open MPI for memory inside a host and TCP between hosts.
var both = []string{"--mca", "pml", "ob1", "--mca", "btl", "self,vader,tcp"}

// gobenchOn runs the program under test on a host and returns the median of each cell.
func gobenchOn(h *lab.Host, root string, args ...string) (times, error) {
	return readTimes(onHost(h, nil, slices.Concat([]string{filepath.Join(root, "bin/gobench")}, args, []string{"--copy=never", "--launches=1", "--json=all", "-o", os.DevNull})...))
}

// openMPIOn runs a program with each ranks on a host, under the mpirun of the first.
func openMPIOn(hosts []*lab.Host, each int, env, options []string, args ...string) (string, error) {
	line := []string{"mpirun.openmpi", "--host", slotsOf(hosts, each), "-n", fmt.Sprint(each * len(hosts)), "--bind-to", "none",
		"--mca", "oob_tcp_if_include", "eth0", "--mca", "btl_tcp_if_include", "eth0"}
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		line = append(line, "-x", name)
	}
	args[0] += ".openmpi"
	return onHost(hosts[0], append(env, asRoot...), slices.Concat(line, options, args)...)
}

// mpichOn does the same under the mpiexec of MPICH.
func mpichOn(hosts []*lab.Host, each int, env []string, args ...string) (string, error) {
	line := []string{"mpiexec.mpich", "-hosts", slotsOf(hosts, each), "-n", fmt.Sprint(each * len(hosts)), "-ppn", fmt.Sprint(each), "-bind-to", "none", "-iface", "eth0"}
	args[0] += ".mpich"
	return onHost(hosts[0], env, append(line, args...)...)
}

func slotsOf(hosts []*lab.Host, each int) string {
	var list []string
	for _, h := range hosts {
		list = append(list, fmt.Sprintf("%s:%d", h.Name, each))
	}
	return strings.Join(list, ",")
}

// limit bounds one run of one program, in seconds.
const limit = "60"

// onHost runs a command on a host and returns its standard output.
func onHost(h *lab.Host, env []string, args ...string) (string, error) {
	return run(h.Command("timeout", append([]string{limit}, args...)...), env...)
}

// run runs a command with further variables and returns its standard output.
func run(cmd *exec.Cmd, env ...string) (string, error) {
	cmd.Env = append(cmd.Environ(), env...)
	out, err := cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%v: %w: %s", cmd.Args, err, failed.Stderr)
	}
	return string(out), err
}

// sizeList writes sizes as an option takes them.
func sizeList(sizes []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(sizes), "[]"), " ", ",")
}

// middle returns the median, and sorts x.
func middle(x []float64) float64 {
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// interleave runs all contenders round by round in random order, and prints the median of each cell
// over the rounds, the median of its ratios to the first contender in the same round, and the
// geometric mean of these. Of the others, one that fails is left out from then on.
func interleave(b *testing.B, cells []cell, list []contender) {
	only := regexp.MustCompile(*hostOnly)
	list = slices.DeleteFunc(list, func(c contender) bool { return c.name != "gobench" && !only.MatchString(c.name) })
	random := rand.New(rand.NewPCG(*hostSeed, 0))
	found := make([]map[cell][]float64, len(list))
	failed := make([]error, len(list))
	for round := range *hostRounds {
		for _, i := range random.Perm(len(list)) {
			if failed[i] != nil {
				continue
			}
			begun := time.Now()
			t, err := list[i].run()
			fmt.Fprintf(os.Stderr, "round %d of %d: %s, %.1f s\n", round+1, *hostRounds, list[i].name, time.Since(begun).Seconds())
			for _, c := range cells {
				if err == nil && t[c] <= 0 {
					err = errors.New("it measured no " + c.String())
				}
			}
			if err != nil && i == 0 {
				b.Fatalf("round %d: %v", round+1, err)
			}
			if err != nil {
				failed[i] = err
				b.Logf("round %d: %s is left out: %v", round+1, list[i].name, err)
				continue
			}
			if found[i] == nil {
				found[i] = map[cell][]float64{}
			}
			for _, c := range cells {
				found[i][c] = append(found[i][c], t[c])
			}
		}
		printTable(cells, list, found, round+1)
	}
}

// printTable prints the medians over rounds and the ratios.
func printTable(cells []cell, list []contender, found []map[cell][]float64, rounds int) {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "us, median of %d rounds (of times / time of gobench)\t", rounds)
	for _, p := range list {
		fmt.Fprintf(table, "%s\t", p.name)
	}
	fmt.Fprintln(table)
	means := make([]float64, len(list))
	for _, c := range cells {
		fmt.Fprintf(table, "%v\t", c)
		for i := range list {
			if found[i] == nil {
				fmt.Fprint(table, "-\t")
				continue
			}
			ratios := slices.Clone(found[i][c])
			for round := range ratios {
				ratios[round] /= found[0][c][round]
			}
			ratio := middle(ratios)
			means[i] += math.Log(ratio) / float64(len(cells))
			fmt.Fprintf(table, "%.3g (%.2f)\t", middle(slices.Clone(found[i][c]))*1e6, ratio)
		}
		fmt.Fprintln(table)
	}
	fmt.Fprint(table, "geometric mean of the ratios\t")
	for i := range list {
		if found[i] == nil {
			fmt.Fprint(table, "-\t")
			continue
		}
		fmt.Fprintf(table, "%.2f, %d rounds\t", math.Exp(means[i]), len(found[i][cells[0]]))
	}
	fmt.Fprintln(table)
	table.Flush()
	fmt.Printf("%s\n", text.String())
}
