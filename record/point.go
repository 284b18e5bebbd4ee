package record

import (
	"encoding/json"
	"time"
)

// A Point is the result of one cell: factors, measurement method, metrics. Points that were read
// may share Options, Found, Cores and Warnings, which must not be modified.
type Point struct {
	Schema string `json:"schema"` // set by the Writer
	Kind   string `json:"kind"`   // set by the Writer
	Run    string `json:"run"`    // ID of the run
	// begin of the cell; zero if the log of an imported result does not state it
	Time time.Time `json:"time,omitzero"`

	// Factors, as requested.
	Bench     string            `json:"bench"`             // "pingpong"
	Library   string            `json:"library,omitempty"` // of an imported result: "Open MPI 4.1.4"; absent = gobench
	Transport string            `json:"transport"`         // driver name
	Level     string            `json:"level"`             // "raw", "socket", "device", "comm"
	Size      int64             `json:"size_B"`            // bytes of one message
	Ranks     int               `json:"ranks"`             // ranks taking part
	RankKind  string            `json:"rank_kind"`         // "process" or "goroutine"
	Cores     []int             `json:"cores,omitempty"`   // of each rank; -1 = not pinned
	Path      string            `json:"path,omitempty"`    // protocol and copy method: "eager", "rndv-split-cma"
	Options   map[string]string `json:"options,omitempty"` // of the transport, all in force
	// options that the transport or the kernel chose when it was opened; they may differ next time
	Found map[string]string `json:"found,omitempty"`
	Route string            `json:"route,omitempty"` // network interfaces in use between hosts, and why
	MTU   int               `json:"mtu_B,omitempty"` // most bytes of an IP packet on the way to a peer
	// policy by which gobench placed the ranks on hosts: "spread", "ppr:4", "file"; "" = host by
	// host, or not placed by gobench
	Placement string `json:"placement,omitempty"`
	Cache     string `json:"cache,omitempty"` // "warm" or "cold"
	// copies of the message buffers that events take in turn; absent = 1, or as many as a cold
	// cache takes
	Buffers int `json:"buffers,omitempty"`
	// of message buffers: "heap" (ordinary) or "device" (from the transport)
	Memory string `json:"memory,omitempty"`
	// traffic of other hosts and the time between intended starts of gobench pairs --load: "incast,
	// one each 200µs"
	Load string `json:"load,omitempty"`
	// kinds of the sender's and the receiver's memory where one belongs to an accelerator:
	// "cuda to cuda", "host to rocm-managed"; absent = host memory
	MemoryKind string `json:"memory_kind,omitempty"`
	Window     int    `json:"window,omitempty"`   // messages in flight, of streaming benchmarks
	Polls      int    `json:"polls,omitempty"`    // calls of Test during the computation with which a transfer overlaps
	Batch      int    `json:"batch,omitempty"`    // events to time together, as asked; absent = chosen by benchmark and size
	Batched    int    `json:"batched,omitempty"`  // events timed together; absent = each alone
	Amount     int64  `json:"amount_B,omitempty"` // bytes that bandwidth counts for one time

	// Factors of imported results.
	Operation string `json:"operation,omitempty"` // that carries the messages: "send", "rdma-write", "tag"
	Service   string `json:"service,omitempty"`   // of queue pairs: "RC", "UC", "UD"
	QPs       int    `json:"qps,omitempty"`       // queue pairs of a connection, absent = 1
	Datatype  string `json:"datatype,omitempty"`  // of MPI or NCCL: "float"
	Reduction string `json:"reduction,omitempty"` // of MPI or NCCL: "sum"

	// Factors of applications.
	Class      string  `json:"class,omitempty"`      // of the problem: "A"
	Grid       string  `json:"grid,omitempty"`       // of FDTD: points "512x512"
	Steps      int     `json:"steps,omitempty"`      // of FDTD: time steps
	Real       string  `json:"real,omitempty"`       // of FDTD: "single" or "double" precision
	Source     string  `json:"source,omitempty"`     // of FDTD: point of the source "X,Y"
	Wavelength float64 `json:"wavelength,omitempty"` // of FDTD: wavelength at the peak frequency, in grid points
	IO         string  `json:"io,omitempty"`         // of BT-IO: subtype and how files are written "full,direct"
	Threads    int     `json:"threads,omitempty"`    // of each rank
	Copies     int     `json:"copies,omitempty"`     // independent serial copies that ran concurrently; ranks is then 1
	Baseline   string  `json:"baseline,omitempty"`   // run that speedup and efficiency refer to

	// Factors of collectives.
	Algorithm    string `json:"algorithm,omitempty"`    // which one ran: "ring", "knomial:4"
	Distribution string `json:"distribution,omitempty"` // of uneven blocks: "zipf"; absent = equal blocks
	Topology     string `json:"topology,omitempty"`     // of a neighbourhood operation: "cart:2"; "inter" = two groups
	Root         string `json:"root,omitempty"`         // "0", or "rotate"
	ByTable      bool   `json:"by_table,omitempty"`     // the table in force chooses this algorithm
	InPlace      bool   `json:"in_place,omitempty"`
	Start        string `json:"start,omitempty"`        // "barrier", "time", "none"
	Skew         string `json:"arrival_skew,omitempty"` // "random:10µs", "late:10µs"
	Groups       int    `json:"groups,omitempty"`       // that run concurrently; absent = 1
	Check        string `json:"check,omitempty"`        // "strict"

	// Replication.
	Launch int   `json:"launch,omitempty"` // number of the launch, from 1
	Round  int   `json:"round,omitempty"`  // of a launch that is a new opening of the device, from 1
	Block  int   `json:"block,omitempty"`  // number of the random block, from 1
	Seed   int64 `json:"seed,omitempty"`   // of the order of cells in the block

	// How it was measured.
	Sampling string `json:"sampling,omitempty"` // "exact" or "hdr"
	// times of all events, by the first metric that is a time: text of stats.Histogram
	Histogram     string  `json:"histogram,omitempty"`
	Iterations    int64   `json:"iterations,omitempty"`   // timed events that count; 0 = the log of an imported result does not state it
	WarmupDropped int64   `json:"warmup_dropped"`         // timed events before them
	Precision     float64 `json:"precision,omitempty"`    // requested relative half width
	Stopped       string  `json:"stopped,omitempty"`      // "precise", "budget", "limit", "interrupted"
	Duration      float64 `json:"duration_s,omitempty"`   // wall time of the cell
	ClockCost     float64 `json:"clock_cost_s,omitempty"` // cost of one clock reading
	// least half width of intervals of the time: resolution of the clock and error of its cost
	Floor         float64 `json:"interval_floor_s,omitempty"`
	ClockSync     string  `json:"clock_sync,omitempty"`        // how clocks of ranks are compared: "shared", "hca3"
	ClockError    float64 `json:"clock_error_s,omitempty"`     // bound of their difference, checked at the end
	Invalid       int64   `json:"invalid,omitempty"`           // samples for which a rank missed the start
	Checked       int64   `json:"checked,omitempty"`           // messages whose data was checked
	MemoryPerPair int64   `json:"memory_per_pair_B,omitempty"` // buffers of the transport for a pair of ranks
	// messages of rank 0 whose buffer was already registered with the network
	RegHits        int64   `json:"reg_hits,omitempty"`
	RegMisses      int64   `json:"reg_misses,omitempty"`        // messages whose buffer had to be registered
	RegPinned      int64   `json:"reg_pinned_B,omitempty"`      // bytes registered by rank 0 at the end
	DistanceBefore float64 `json:"distance_before_s,omitempty"` // half round trip of a cache line, median of some lines
	DistanceAfter  float64 `json:"distance_after_s,omitempty"`
	LineLow        float64 `json:"line_low_s,omitempty"`       // of the fastest line, before
	LineHigh       float64 `json:"line_high_s,omitempty"`      // of the slowest line, before
	DistanceMin    float64 `json:"distance_least_s,omitempty"` // of neighbours in the ring of all ranks, before
	DistanceMax    float64 `json:"distance_most_s,omitempty"`
	StateDistance  float64 `json:"state_distance_s,omitempty"` // median while the samples of this point were taken
	// share of the timed part of the cell in this state; without state_distance_s: share in which
	// the state changed
	StateShare float64 `json:"state_share,omitempty"`
	// time of the loop of internal/bench/pace around the samples, on the slowest core; longer if
	// another thread uses the core
	Loop float64 `json:"loop_s,omitempty"`
	// share of the time since the launch that the hypervisor took from a core
	Steal float64 `json:"steal,omitempty"`
	// of a rank's process while events are timed, means over the ranks, of benchmarks of messages,
	// of collectives back to back and of applications, of which a run is an iteration: processor
	// time per iteration in the program and in the kernel in seconds, context switches per
	// iteration, and the share of the time in which it ran, above 1 with several threads
	User     float64 `json:"cpu_user_s,omitempty"`
	System   float64 `json:"cpu_system_s,omitempty"`
	Switches float64 `json:"switches,omitempty"`
	Busy     float64 `json:"cpu_busy,omitempty"`
	// per iteration, too: interrupts of a rank's core, for whatever program, and cycles and
	// instructions of its thread in user mode; 0 = unknown, as in most virtual machines
	Interrupts   float64 `json:"interrupts,omitempty"`
	Cycles       float64 `json:"cycles,omitempty"`
	Instructions float64 `json:"instructions,omitempty"`
	Method       string  `json:"method,omitempty"` // one sentence for people

	// Counters holds by how much counters of errors of the network have grown during the cell on
	// hosts of a job with several, by names such as "h3 eth0 rx_crc_errors".
	Counters map[string]uint64 `json:"counters,omitempty"`
	Warnings []string          `json:"warnings,omitempty"`

	// Of rows of kind "summary" only, so that a row needs no other rows.
	Launches       int    `json:"launches,omitempty"`        // whose medians it combines
	State          string `json:"state,omitempty"`           // of the cores: "near", "far slow"; absent = not known
	Label          string `json:"label,omitempty"`           // of the runs
	Host           string `json:"host,omitempty"`            // names of the hosts, separated by one space
	Map            string `json:"map,omitempty"`             // see Job.Map
	Commit         string `json:"commit,omitempty"`          // of gobench
	LibraryVersion string `json:"library_version,omitempty"` // what was measured: "Open MPI 4.1.4", "gobench v1.2"

	// Metrics by catalogue key, such as "half_rtt_s". In JSON they are beside the factors.
	Metrics Values `json:"-"`

	// Extra holds fields of a row that this version does not know. They are written back unchanged.
	Extra map[string]json.RawMessage `json:"-"`
}

// A Value is one metric of one point. Absent statistics are zero, and left out in JSON. Lo and Hi
// bound the median within one launch for a point, and between launches for a summary.
type Value struct {
	Median     float64 `json:"median"`
	Mean       float64 `json:"mean,omitempty"` // for comparison with programs that publish means
	Lo         float64 `json:"lo,omitempty"`   // interval of the median at level Confidence
	Hi         float64 `json:"hi,omitempty"`
	Confidence float64 `json:"confidence,omitempty"`
	N          int     `json:"n"`
	EffectiveN int     `json:"n_eff,omitempty"` // n corrected for autocorrelation
	Min        float64 `json:"min,omitempty"`
	P50        float64 `json:"p50,omitempty"` // percentiles only where each event was timed alone
	P90        float64 `json:"p90,omitempty"`
	P99        float64 `json:"p99,omitempty"`
	P99Lo      float64 `json:"p99_lo,omitempty"` // interval of P99 between launches, of summaries only
	P99Hi      float64 `json:"p99_hi,omitempty"`
	P999       float64 `json:"p999,omitempty"`
	Max        float64 `json:"max,omitempty"`
	Statistic  string  `json:"statistic,omitempty"` // kind of the value in Median: Mean or Best; "" = median

	// Within is half the width of the interval within a launch, relative to the median; for a
	// summary, the median of its launches. A point leaves it out, because Lo and Hi contain it.
	Within float64 `json:"within,omitempty"`
}
