package claims

// Sides that several claims have.
const (
	threads   side = "bench=pingpong; transport=smem; rank_kind=goroutine"
	processes side = "bench=pingpong; transport=smem; rank_kind=process"
	iodev     side = "bench=pingpong; label=iodev"
	fast      side = "bench=pingpong; label=Fast sockets"
	tcp       side = "bench=pingpong; transport=tcp; label=none"
	verbs     side = "bench=pingpong; transport=ibv; label=none"
)

const (
	halfRTT   = "half_rtt_s"
	bandwidth = "bandwidth_Bps"
	rate      = "mops"
)

// Bounds that several claims have.
var (
	above = bounds{min: 1}
	below = bounds{max: 1}
)

const (
	kib  = 1 << 10
	mib  = 1 << 20
	gbit = 1e9 / 8
)

// table has all claims, in the order of the works. Sides name the sections of configs/thesis.toml,
// configs/papers.toml and configs/sockets.toml that measure them, or a transport that needs its
// hardware. Numbers come from the text of the source; none was read off a figure.
var table = []Claim{
	// Chapters 2 to 4: devices.
	{"thesis ibvdev", "figure 2.10", "a device over verbs has a lower latency than sockets over the same network: 11 us beside 65 us",
		ratio{bounds: below, metric: halfRTT, a: verbs, b: tcp, to: kib}},
	{"thesis ibvdev", "figure 2.10", "the device over verbs reaches more than twice the bandwidth of sockets: 7.2 Gbit/s beside less than 3",
		ratio{bounds: bounds{min: 2}, metric: bandwidth, a: verbs, b: tcp, how: ofBest}},
	{"thesis ibvdev", "figure 2.12", "collectives over verbs are at least twice as fast as over sockets",
		ratio{bounds: bounds{max: 0.5}, metric: "global_s", a: "bench=bcast; transport=ibv", b: "bench=bcast; transport=tcp"}},
	{"thesis ibvdev", "figure 2.13", "FT over verbs is at least twice as fast as over sockets: 17000 Mop/s beside less than 8000 on 64 cores",
		ratio{bounds: bounds{min: 2}, metric: rate, a: "bench=ft; transport=ibv", b: "bench=ft; transport=tcp", from: 2, how: ofBest}},
	{"thesis ibvdev", "chapter 2", "the registration cache raises the bandwidth of long messages",
		ratio{bounds: above, metric: bandwidth, a: "bench=pingpong; label=ibvdev-2011", b: "bench=pingpong; label=ibvdev-2011, no registration cache", from: 256 * kib}},
	{"thesis", "figure 3.2", "1024 processes start in less than 35 s",
		ratio{bounds: bounds{max: 35}, metric: "run_s", a: "bench=startup", from: 1024}},
	{"thesis", "figure 3.3", "messages above 2 KB are faster between threads than between processes",
		ratio{bounds: above, metric: bandwidth, a: threads, b: processes, from: 2*kib + 1}},
	{"thesis", "figure 3.3", "messages below 2 KB are slower between threads than between processes: about twice the latency",
		ratio{bounds: above, metric: halfRTT, a: threads, b: processes, to: 2*kib - 1}},
	{"thesis", "figure 3.3", "threads overtake processes at about 2 KB",
		crossing{bounds: bounds{kib, 4 * kib}, metric: halfRTT, a: threads, b: processes}},
	{"thesis", "figure 3.3", "latency between threads is below 1 us",
		ratio{bounds: bounds{max: 1e-6}, metric: halfRTT, a: threads, how: ofBest}},
	{"thesis", "figure 3.3", "threads reach 71.2 Gbit/s at 32 KB",
		ratio{bounds: bounds{min: 71.2 * gbit}, metric: bandwidth, a: threads, from: 32 * kib, to: 32 * kib}},
	{"thesis", "figure 4.8", "sending short messages inline saves latency: 15 to 20 %",
		ratio{bounds: below, metric: halfRTT, a: "bench=pingpong; label=ibvdev of chapter 4", b: "bench=pingpong; label=ibvdev-2011", to: 64}},
	{"thesis", "figure 4.9", "MG and FT scale to 256 cores: speedups of about 130, an efficiency of half",
		scaling{bounds: bounds{min: 0.5}, metric: rate, a: "bench=mg|ft", cores: 256}},

	// Chapter 5: kernels.
	{"thesis", "figure 5.2", "speedups of a kernel are within 90 and 110 % of their median",
		variation{max: 0.1, metric: rate, a: "bench=cg|ft|is|mg"}},
	{"thesis", "figure 5.3", "CG on one core is as fast as the reference in Fortran",
		ratio{bounds: bounds{min: 0.9}, metric: rate, a: "bench=cg; library=gobench", b: "bench=cg; library=!gobench", to: 1}},
	{"thesis", "figure 5.3", "IS on one core is as fast as the reference in C",
		ratio{bounds: bounds{min: 0.9}, metric: rate, a: "bench=is; library=gobench", b: "bench=is; library=!gobench", to: 1}},
	{"thesis", "figure 5.3", "FT on one core reaches only about 55 % of the reference in Fortran",
		ratio{bounds: bounds{max: 0.7}, metric: rate, a: "bench=ft; library=gobench", b: "bench=ft; library=!gobench", to: 1}},
	{"thesis", "figure 5.3", "MG on one core reaches only about 55 % of the reference in Fortran",
		ratio{bounds: bounds{max: 0.7}, metric: rate, a: "bench=mg; library=gobench", b: "bench=mg; library=!gobench", to: 1}},
	{"thesis", "figure 5.4", "F-MPJ has a latency of 2 us in shared memory",
		ratio{bounds: bounds{max: 2e-6}, metric: halfRTT, a: processes, how: ofBest}},
	{"thesis", "figure 5.4", "threads reach 51 Gbit/s, processes of MPI less than 31: 1.6 times as much",
		ratio{bounds: bounds{min: 51.0 / 31}, metric: bandwidth, a: threads, b: processes, how: ofBest}},
	{"thesis", "figure 5.6", "IS scales worse than FT: speedups of 19 and of about 50 on 128 cores",
		scaling{bounds: below, metric: rate, a: "bench=is; transport=!ibv", b: "bench=ft; transport=!ibv"}},

	// Chapters 6 and 7: the cloud.
	{"thesis", "figure 6.4", "MPI adds little to the latency of TCP: 55 to 60 us beside 52",
		ratio{bounds: bounds{max: 60.0 / 52}, metric: halfRTT, a: tcp + "; hosts=2+; level=comm", b: tcp + "; hosts=2+; level=raw", to: kib}},
	{"thesis", "figure 6.4", "MPI reaches two thirds of the bandwidth of TCP: 3.7 of 5.5 Gbit/s",
		ratio{bounds: bounds{min: 3.7 / 5.5}, metric: bandwidth, a: tcp + "; hosts=2+; level=comm", b: tcp + "; hosts=2+; level=raw", how: ofBest}},
	{"thesis", "figure 6.5", "bandwidth in shared memory falls for messages that exceed a share of the cache",
		ratio{bounds: below, metric: bandwidth, a: processes, b: processes, from: 16 * mib, how: ofBest}},
	{"thesis", "figure 6.6", "CG does not scale beyond one host over 10 Gigabit Ethernet",
		ratio{bounds: below, metric: rate, a: "bench=cg; transport=tcp; hosts=2+", b: "bench=cg; hosts=1", how: ofBest}},
	{"thesis", "figure 6.6", "IS does not scale beyond one host over 10 Gigabit Ethernet",
		ratio{bounds: below, metric: rate, a: "bench=is; transport=tcp; hosts=2+", b: "bench=is; hosts=1", how: ofBest}},
	{"thesis", "figure 6.6", "MG scales beyond one host over 10 Gigabit Ethernet",
		ratio{bounds: above, metric: rate, a: "bench=mg; transport=tcp; hosts=2+", b: "bench=mg; hosts=1", how: ofBest}},
	{"thesis", "figure 7.4", "latency in shared memory is 0.3 us at best",
		ratio{bounds: bounds{max: 0.3e-6}, metric: halfRTT, a: processes, how: ofBest}},
	{"thesis", "figure 7.6", "CG is far from ideal: a speedup of 22 on 64 cores, an efficiency of a third",
		scaling{bounds: bounds{max: 22.0 / 64}, metric: rate, a: "bench=cg", cores: 64}},
	{"thesis", "figure 7.7", "MG scales best: better than CG",
		scaling{bounds: above, metric: rate, a: "bench=mg", b: "bench=cg"}},
	{"thesis", "figure 7.7", "MG scales best: better than FT",
		scaling{bounds: above, metric: rate, a: "bench=mg", b: "bench=ft"}},
	{"thesis", "figure 7.9", "one process per instance speeds up IS: up to 7 times",
		ratio{bounds: above, metric: rate, a: "bench=is; hosts=2+; placement=spread|ppr:1", b: "bench=is; hosts=2+; placement=none", how: somewhere}},
	{"thesis", "figure 7.9", "one process per instance speeds up FT: up to 2.3 times",
		ratio{bounds: above, metric: rate, a: "bench=ft; hosts=2+; placement=spread|ppr:1", b: "bench=ft; hosts=2+; placement=none", how: somewhere}},
	{"thesis", "figure 7.9", "one process per instance does not speed up CG",
		ratio{bounds: bounds{max: 1.1}, metric: rate, a: "bench=cg; hosts=2+; placement=spread|ppr:1", b: "bench=cg; hosts=2+; placement=none"}},
	{"thesis", "figure 7.11", "ranks with threads beat pure ranks: BT-MZ and BT, speedups of 185 and 60",
		ratio{bounds: above, metric: rate, a: "bench=bt-mz; threads=2+", b: "bench=bt; threads=1", how: ofBest}},
	{"thesis", "figure 7.11", "ranks with threads beat pure ranks: SP-MZ and SP",
		ratio{bounds: above, metric: rate, a: "bench=sp-mz; threads=2+", b: "bench=sp; threads=1", how: ofBest}},
	{"thesis", "figure 7.11", "ranks with threads beat pure ranks: LU-MZ and LU",
		ratio{bounds: above, metric: rate, a: "bench=lu-mz; threads=2+", b: "bench=lu; threads=1", how: ofBest}},

	// The paper on devices.
	{"devices", "figure 7", "bandwidth drops at the first size that goes by rendezvous",
		dip{bounds: below, a: iodev}},
	{"devices", "figure 7", "threads have the highest latency: above that of iodev",
		ratio{bounds: above, metric: halfRTT, a: "bench=pingpong; label=smpdev", b: iodev, to: 64}},
	{"devices", "figure 9", "threads have the highest bandwidth from 128 KB to 2 MB",
		ratio{bounds: above, metric: bandwidth, a: "bench=pingpong; label=smpdev", b: iodev, from: 128 * kib, to: 2 * mib}},
	{"devices", "figures 4 and 8", "iodev has a lower latency than niodev: 14 us beside 47, 62 us beside 88",
		ratio{bounds: below, metric: halfRTT, a: iodev, b: "bench=pingpong; label=niodev", to: kib}},
	{"devices", "figures 3 to 9", "a device without a buffering layer costs no more at the level of MPJ than alone",
		ratio{bounds: bounds{max: 1.1}, metric: halfRTT, a: iodev + "; level=comm", b: iodev + "; level=device"}},
	{"devices", "section 3.2", "one write of header and data lowers the latency of messages below 4 KB",
		ratio{bounds: below, metric: halfRTT, a: iodev, b: "bench=pingpong; label=iodev, nothing merged", from: 1, to: 4*kib - 1}},
	{"devices", "figure 10", "the speedup of FDTD exceeds the number of cores when the grid of a rank fits into a cache, on 64 cores and more",
		scaling{bounds: above, metric: "mcells", a: "bench=fdtd", cores: 64}},

	// F-MPJ.
	{"fmpj", "figure 12", "bcast down a minimum spanning tree beats the flat tree",
		ratio{bounds: below, metric: "global_s", a: "bench=bcast; ranks=4+; algorithm=mst", b: "bench=bcast; ranks=4+; algorithm=flat|flat-nb"}},
	{"fmpj", "figure 12", "reduce down a minimum spanning tree beats the flat tree",
		ratio{bounds: below, metric: "global_s", a: "bench=reduce; ranks=4+; algorithm=mst", b: "bench=reduce; ranks=4+; algorithm=flat|flat-nb"}},
	{"fmpj", "section 5.2", "a bcast by scatter and allgather overtakes the minimum spanning tree at about 32 KB",
		crossing{bounds: bounds{16 * kib, 64 * kib}, metric: "global_s", a: "bench=bcast; ranks=4+; algorithm=scatter-ring", b: "bench=bcast; ranks=4+; algorithm=mst"}},
	{"fmpj", "figure 12", "a bcast is slower from two hosts on than on one",
		ratio{bounds: below, metric: "aggregate_Bps", a: "bench=bcast; hosts=2+", b: "bench=bcast; hosts=1", how: ofBest}},

	// Java Fast Sockets.
	{"jfs", "figure 11", "latency in shared memory is half of that of sockets: 8 us beside 16",
		ratio{bounds: bounds{max: 0.5}, metric: halfRTT, a: fast, b: "bench=pingpong; label=TCP, net.Conn", to: 64}},
	{"jfs", "figure 12", "bandwidth in shared memory is at least 41/6 of that of sockets",
		ratio{bounds: bounds{min: 41.0 / 6}, metric: bandwidth, a: fast, b: "bench=pingpong; label=TCP, net.Conn", how: ofBest}},
	{"jfs", "figure 12", "the protocol for shared memory, which copies once, beats two copies: 34 Gbit/s beside 9",
		ratio{bounds: bounds{min: 34.0 / 9}, metric: bandwidth, a: fast, b: "bench=pingpong; label=Fast sockets, ring only", how: ofBest}},
	{"jfs", "figure 12", "bandwidth in shared memory is highest at 256 to 512 KB",
		ratio{bounds: above, metric: bandwidth, a: fast, b: fast, from: 256 * kib, to: 512 * kib, how: ofBest}},
	{"jfs", "figure 12", "the protocol for long messages helps only above 16 KB",
		crossing{bounds: bounds{8 * kib, 32 * kib}, metric: bandwidth, a: fast, b: "bench=pingpong; label=Unix sockets"}},
	{"jfs", "figure 15", "CG gains from fast sockets: up to 157 %",
		ratio{bounds: above, metric: rate, a: "bench=cg; transport=smem", b: "bench=cg; transport=tcp", from: 2, how: somewhere}},
	{"jfs", "figure 15", "MG gains from fast sockets: up to 24 %",
		ratio{bounds: above, metric: rate, a: "bench=mg; transport=smem", b: "bench=mg; transport=tcp", from: 2, how: somewhere}},
}
