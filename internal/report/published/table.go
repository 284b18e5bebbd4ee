package published

import (
	"slices"

	"gobench/internal/report/cell"
	"gobench/internal/report/figure"
)

// Texts that several figures share.
const (
	npbIB    = "cg ft is mg" // the kernels of chapters 2, 3, 5, 6 and 7
	gadget   = "gadget"
	arrays   = "pingpong ints doubles" // of bytes, and of numbers in network order, as serialised ones
	ib       = "ibvdev, IB DDR"
	ipoib    = "niodev, IPoIB"
	original = "Open MPI Java"
)

// elsewhere lists the benchmarks of figures that are no programs of gobench: their records are
// imported.
var elsewhere = []string{gadget, "crypt", "lufact", "moldyn", "flash-io"}

// Values that several figures repeat.
var (
	ec2 = []stated{ // chapter 6: Amazon EC2, CC1 instances, 10 Gigabit Ethernet
		{what: "MPI on EC2", latency: 55, to: 60},
		{what: "MPI on EC2", bound: upTo, gbits: 3.7},
		{what: "TCP on EC2", bound: about, latency: 52}, {what: "TCP on EC2", gbits: 5.5},
		{what: "niodev on EC2", bound: about, latency: 140}, {what: "niodev on EC2", bound: lessThan, gbits: 2},
		{what: "MPI and TCP with passthrough", latency: 28, to: 35},
		{what: "TCP with passthrough", gbits: 7.2}, {what: "MPICH2 with passthrough", gbits: 5.3},
		{what: "TCP, native", gbits: 8.2}, {what: "MPI, native", bound: lessThan, gbits: 8},
	}
	cc = []stated{ // chapter 7: CC1 and CC2 instances, 10 Gigabit Ethernet
		{what: "Open MPI and FastMPJ, CC1", latency: 55}, {what: "MPICH2, CC1", bound: about, latency: 57}, {what: "CC1", bound: upTo, gbits: 4.9},
		{what: "CC2", latency: 50, to: 54}, {what: "CC2", bound: upTo, gbits: 5.4},
		{what: "best without virtualisation", latency: 10}, {what: "MPI without virtualisation", gbits: 9},
	}
	chapter2 = []stated{ // point-to-point on InfiniBand
		{what: ib, latency: 11}, {what: "MVAPICH", latency: 13}, {what: "Open MPI", latency: 10}, {what: ipoib, latency: 65},
		{what: ib, gbits: 7.2}, {what: "MVAPICH", gbits: 7}, {what: "Open MPI", gbits: 9.2}, {what: ipoib, bound: lessThan, gbits: 3},
	}
	ftIB = []stated{ // chapter 2: FT, class C
		{what: ib, bench: "ft", bound: about, mops: 17000, cores: 64}, {what: ipoib, bench: "ft", bound: lessThan, mops: 8000, cores: 64},
	}
	qdr    = []stated{{what: "ibvdev, IB QDR", latency: 2.2}, {what: "MPI, IB QDR", bound: about, latency: 1.9}, {what: "ibvdev, IB QDR", bound: upTo, gbits: 22.5}}
	psm    = []stated{{what: "psmdev and Open MPI, IB DDR", bound: about, latency: 1.9}, {what: "MVAPICH2, IB DDR", latency: 2}, {what: "psmdev, IB DDR", bound: upTo, gbits: 11.5}, {what: "MPI, IB DDR", bound: about, gbits: 12.2}}
	openMX = []stated{{what: "mxdev, 10 GbE", latency: 15.6}, {what: "MVAPICH2, 10 GbE", latency: 11.2}, {what: "Open MPI, 10 GbE", latency: 11.5}, {what: "all, 10 GbE", bound: about, gbits: 9.4}}
	mx     = []stated{{what: "mxdev, Myrinet", latency: 5.2}, {what: "MPICH-MX, Myrinet", latency: 4.1}}
	smdev  = []stated{
		{what: "smdev, Intel", bound: lessThan, latency: 1}, {what: "MPI, Intel", latency: 0.42, to: 0.48}, {what: "smdev, Intel", gbits: 71.2, size: 32 << 10},
		{what: "smdev, AMD", latency: 1.53}, {what: "MPI, AMD", latency: 0.88}, {what: "smdev, AMD", gbits: 41.6, size: 256 << 10}, {what: "MPI, AMD", bound: lessThan, gbits: 10},
	}
	roce = []stated{
		{what: "ibvdev and mxmdev, RoCE", bound: about, latency: 1.15}, {what: original + ", RoCE", latency: 2.8},
		{what: "ibvdev, RoCE", gbits: 36.6}, {what: "mxmdev, RoCE", gbits: 35.7}, {what: "sockets, RoCE", gbits: 19.1},
	}
	gemini = []stated{
		{what: "ugnidev, Gemini", bound: about, latency: 1.45}, {what: original + ", Gemini", latency: 4.9}, {what: "sockets, Gemini", latency: 10.4}, {what: "MPJ Express, Gemini", latency: 30.5},
		{what: "ugnidev, Gemini", gbits: 49.2, size: 4 << 20}, {what: original + ", Gemini", bound: about, gbits: 13.1, size: 4 << 20},
		{what: "sockets, Gemini", bound: upTo, gbits: 9.3}, {what: "MPJ Express, Gemini", bound: upTo, gbits: 4.4},
	}
	ftFDR = []stated{ // chapter 4: FT and MG, class C, on IB FDR
		{what: "ibvdev", bench: "ft", bound: moreThan, speedup: 130, cores: 256}, {what: "mxmdev", bench: "ft", speedup: 102, cores: 256}, {what: original, bench: "ft", speedup: 99, cores: 256},
	}
	fdtd   = []string{"FastMPJ is faster than Open MPI Java by 24 % on 256 cores of the IB cluster and by 40 % on 4096 cores of the Cray, and than MPJ Express by 151 % and 176 %"}
	mgQDR  = stated{what: "FastMPJ and MPI, IB QDR", bench: "mg", bound: moreThan, speedup: 300, cores: 512}
	copies = "bound: so many serial copies are 458 times as fast as one on 512 cores, IB QDR"
)

// entries is the table of all figures, in the order of the works. Values come from the text and the
// tables of the chapter or paper that a figure belongs to. "About", "more than" and "less than"
// come from the text.
var entries = []entry{
	// The thesis, chapter 1: summary.
	{names: "thesis-1.3", caption: "Message-passing point-to-point performance on IB", kinds: "combined", over: cell.Network, stated: chapter2},
	{names: "thesis-1.4", caption: "Performance and scalability of the NPB FT kernel on IB", kinds: "kernels", benches: "ft", stated: ftIB,
		remarks: []string{"MPI reaches about 50 % more Mop/s than ibvdev, and a lower speedup"}},
	{names: "thesis-1.6", caption: "Point-to-point performance on IB, 10 Gigabit Ethernet (10 GbE) and Myrinet", kinds: "combined", over: cell.Network, stated: slices.Concat(qdr, psm, openMX, mx)},
	{names: "thesis-1.7", caption: "Broadcast performance on IB and Myrinet", kinds: "aggregate", benches: "bcast"},
	{names: "thesis-1.8", caption: "Performance of NPB CG and MG kernels on IB", kinds: "kernels", benches: "cg mg", stated: []stated{mgQDR},
		remarks: []string{"on IB DDR FastMPJ reaches about 80 % of the rate of MPI in MG on 128 cores, and the rate of MVAPICH2 in CG"}},
	{names: "thesis-1.11", caption: "Point-to-point performance on RoCE and Cray Gemini", kinds: "combined", over: cell.Network, stated: slices.Concat(roce, gemini)},
	{names: "thesis-1.12", caption: "Scalability of the NPB FT kernel on IB and Cray Gemini", kinds: "kernels", benches: "ft", stated: ftFDR},
	{names: "thesis-1.13", caption: "Scalability of the FDTD parallel application on IB and Cray Gemini", kinds: "kernels", benches: "fdtd", remarks: fdtd},
	{names: "thesis-1.14", caption: "Runtime and scalability of the Gadget parallel application", kinds: "kernels", benches: gadget, stated: jGadget},
	{names: "thesis-1.15", caption: "Message-passing point-to-point performance on 10 Gigabit Ethernet", kinds: "combined", over: cell.Network, stated: ec2},
	{names: "thesis-1.16", caption: "Performance of the NPB IS kernel on 10 Gigabit Ethernet", kinds: "kernels", benches: "is",
		remarks: []string{"on EC2 it does not scale beyond the 8 cores of an instance"}},
	{names: "thesis-1.17", caption: "Point-to-point performance on Amazon EC2 cluster instances over 10 Gigabit Ethernet", kinds: "combined", over: cell.Network, stated: cc},
	{names: "thesis-1.18", caption: "Performance of the NPB FT and MG kernels on Amazon EC2", kinds: "kernels", benches: "ft mg", stated: []stated{{what: "FastMPJ, CC2", bound: upTo, bench: "mg", speedup: 53}},
		remarks: []string{"FT is as fast on 512 cores of CC2 as on 16"}},
	{names: "thesis-1.19", caption: "Productivity of NPB FT and MG kernels on Amazon EC2 (GOPS = GigaOperations Per Second)", kinds: "productivity", benches: "ft mg", prices: 2012},
	{names: "thesis-1.20", caption: "Performance of NPB IS and FT kernels on Amazon EC2 (ppi = processes per instance)", kinds: "kernels", benches: "is ft", remarks: ppi},
	{names: "thesis-1.21", caption: "Scalability of the NPB/NPB-MZ SP kernel on Amazon EC2 (tpp = threads per process, ppi = processes per instance)", kinds: "hybrid", benches: "sp sp-mz"},
	{names: "thesis-1.24", caption: "Performance of the NPB BT-IO kernel on Amazon EC2", kinds: "storage", benches: "bt-io", panels: "storage_Bps", stated: btioEC2, remarks: btioBandwidths},
	{names: "thesis-1.25", caption: "Productivity of the NPB BT-IO kernel using on-demand, spot (S) and reserved (R) EC2 instances", kinds: "productivity", benches: "bt-io", panels: figure.StoragePerCost, remarks: btioPrices, prices: 2012},

	// Chapter 2, which is the ibvdev paper.
	{names: "thesis-2.10 ibvdev-10", caption: "Message-passing point-to-point performance on InfiniBand", kinds: "combined", over: cell.Network, stated: chapter2},
	{names: "thesis-2.11 ibvdev-11", caption: "Message-passing point-to-point performance on shared memory", kinds: "combined", over: cell.Memory, stated: []stated{
		{what: "ibvdev", latency: 6}, {what: "smpdev", latency: 17}, {what: "MVAPICH", latency: 0.5}, {what: "Open MPI", latency: 1},
		{what: "ibvdev", gbits: 15.3}, {what: "smpdev", gbits: 22},
	}},
	{names: "thesis-2.12 ibvdev-12", caption: "Message-passing collective primitives performance", kinds: "aggregate", benches: "bcast allgather reduce allreduce",
		remarks: []string{"ibvdev is generally two or three times as fast as niodev, up to ten times"}},
	{names: "thesis-2.13 ibvdev-13", caption: "Performance and scalability of NPB-MPI/MPJ codes", kinds: "kernels", benches: npbIB, stated: slices.Concat(ftIB, []stated{
		{what: ib, bench: "cg", bound: about, mops: 9000, cores: 64}, {what: ipoib, bench: "cg", bound: lessThan, mops: 4000, cores: 64},
		{what: ib, bound: upTo, bench: "is", mops: 650, cores: 64}, {what: ipoib, bench: "mg", speedup: 30, cores: 64},
	}), remarks: []string{"MPI reaches about 50 % more Mop/s than ibvdev"}},
	{names: "thesis-2.14 ibvdev-14", caption: "Scalability of MPI/MPJ Gadget", kinds: "kernels", benches: gadget, stated: []stated{
		{what: "ibvdev", bound: moreThan, speedup: 22, cores: 64}, {what: ipoib, speedup: 16, cores: 64},
	}, remarks: []string{"MPI has a speedup 45 % higher than ibvdev on 64 processes"}},

	// Chapter 3.
	{names: "thesis-3.2", caption: "MPJ/MPI deployment and initialization", kinds: "startup", stated: []stated{{what: "FastMPJ with its daemons", bound: lessThan, seconds: 35, cores: 1024}}},
	{names: "thesis-3.3", caption: "Point-to-point performance on InfiniBand QDR and DDR, 10 Gigabit Ethernet, Myrinet and shared memory", kinds: "combined",
		stated: slices.Concat(qdr, psm, openMX, mx, smdev)},
	{names: "thesis-3.4", caption: "Broadcast performance on InfiniBand QDR and DDR, Myrinet and shared memory", kinds: "aggregate", benches: "bcast"},
	{names: "thesis-3.5", caption: "NPB kernel results on the IB-QDR testbed (strong scaling)", kinds: "kernels", benches: npbIB,
		stated:  []stated{mgQDR, {what: "MVAPICH2", bench: "is", bound: lessThan, speedup: 60, cores: 256}},
		remarks: []string{"FastMPJ reaches on average 75 % of the rate of MPI in FT"}},
	{names: "thesis-3.6", caption: "NPB kernel results on the IB-DDR testbed (strong scaling)", kinds: "kernels", benches: npbIB,
		stated:  []stated{{what: "all", bench: "is", bound: lessThan, speedup: 30, cores: 128}},
		remarks: []string{"FastMPJ reaches about 70 % of the rate of MVAPICH2 in FT, and 80 % of that of MPI in MG, on 128 cores"}},
	{names: "thesis-3.7", caption: "NPB kernel results on the Intel-SHM testbed (strong scaling)", kinds: "cores", over: cell.Memory, benches: npbIB},
	{names: "thesis-3.8", caption: "NPB kernel results on the AMD-SHM testbed (strong scaling)", kinds: "cores", over: cell.Memory, benches: npbIB},
	{names: "thesis-3.9", caption: "NPB kernel results on the IB-QDR testbed (weak scaling)", kinds: "efficiency", benches: "cg ft",
		stated:  []stated{{what: copies, bench: "ft", efficiency: 100 * 458.0 / 512, cores: 512}},
		remarks: []string{"FastMPJ reaches about 80 % of the rate of MPI in FT on many cores, and similar efficiencies"}},
	{names: "thesis-3.10", caption: "NPB kernel results on the Intel-SHM testbed (weak scaling)", kinds: "efficiency", over: cell.Memory, benches: "cg ft",
		stated: []stated{{what: "bound: 32 serial copies are 21 times as fast as one", bench: "ft", efficiency: 100 * 21.0 / 32, cores: 32}}},

	// Chapter 4.
	{names: "thesis-4.8", caption: "Performance of Java point-to-point communications on RDMA-enabled networks", kinds: "p2p", over: cell.Network, benches: "pingpong", stated: slices.Concat([]stated{
		{what: "ibvdev and mxmdev, IB FDR", bound: about, latency: 1}, {what: original + ", IB FDR", latency: 2.7}, {what: "sockets, IB FDR", bound: about, latency: 10}, {what: "MPJ Express, IB FDR", latency: 18},
		{what: "ibvdev, IB FDR", bound: upTo, gbits: 47}, {what: "mxmdev, IB FDR", bound: about, gbits: 43}, {what: "sockets, IB FDR", gbits: 16.1}, {what: "MPJ Express, IB FDR", gbits: 8.8},
		{what: "ibvdev and " + original + ", iWARP", bound: about, latency: 8}, {what: "ibvdev, iWARP", bound: upTo, gbits: 9.2},
	}, roce[:3], gemini[:1], gemini[4:5])},
	{names: "thesis-4.9", caption: "Scalability of Java HPC kernels", kinds: "kernels", benches: "ft mg", stated: slices.Concat(ftFDR, []stated{
		{what: "FastMPJ and " + original, bench: "mg", bound: about, speedup: 133, cores: 256}, {what: "MPJ Express", bench: "mg", bound: lessThan, speedup: 60, cores: 256},
	}), remarks: []string{"on Gemini ugnidev is faster than Open MPI Java by 28 % in FT on 2048 cores and by 32 % in MG on 1024"}},
	{names: "thesis-4.10", caption: "Scalability of the FDTD parallel Java application", kinds: "kernels", benches: "fdtd", remarks: fdtd},

	// Chapter 5.
	{names: "thesis-5.2", caption: "NPB performance variability on the x86-64 cluster", kinds: "variability", benches: npbIB,
		remarks: []string{"speedups lie within 90 and 110 % of their median; the average variation is less than 5 %; a speedup relative to its median is the rate relative to its median, because both have one base"}},
	{names: "thesis-5.3", caption: "NPB relative performance on one core", kinds: "onecore", benches: npbIB, stated: []stated{
		{what: "F-MPJ", bench: "cg", bound: about, relative: 1}, {what: "F-MPJ", bench: "is", bound: about, relative: 1},
		{what: "F-MPJ", bench: "ft", bound: about, relative: 0.55}, {what: "F-MPJ", bench: "mg", bound: about, relative: 0.55},
		{what: "Java threads", bench: "ft", bound: lessThan, relative: 0.3},
	}, remarks: []string{"the reference is MPI compiled by GNU, on an x86-64 cluster"}},
	{names: "thesis-5.4", caption: "Message-passing point-to-point performance on InfiniBand, 10 Gigabit Ethernet and shared memory", kinds: "combined", stated: []stated{
		{what: "F-MPJ, shared memory", latency: 2}, {what: "F-MPJ, IB", latency: 10}, {what: "F-MPJ, 10 GbE", latency: 12},
		{what: "F-MPJ with threads", bound: upTo, gbits: 51}, {what: "MPI between processes", bound: lessThan, gbits: 31},
	}},
	{names: "thesis-5.5", caption: "Collective primitives performance on the InfiniBand multi-core cluster", kinds: "aggregate scaling", benches: "bcast allgather reduce allreduce"},
	{names: "thesis-5.6", caption: "NPB Class C results on the x86-64 cluster", kinds: "cores", benches: npbIB, stated: []stated{
		{what: "F-MPJ", bench: "ft", bound: about, speedup: 50, cores: 128}, {what: "MPI", bench: "ft", bound: lessThan, speedup: 36, cores: 128},
		{what: "MPI", bench: "is", speedup: 16, cores: 64}, {what: "MPI", bench: "is", speedup: 19, cores: 128}, {what: "Java threads", bench: "is", bound: lessThan, speedup: 2, cores: 8},
		{what: "MPJ Express", bench: "mg", bound: about, speedup: 30, cores: 64}, {what: "shared memory codes", bench: "mg", bound: lessThan, speedup: 4, cores: 8},
	}},
	{names: "thesis-5.7", caption: "NPB Class C results on Finis Terra", kinds: "cores", benches: npbIB, stated: []stated{
		{what: "F-MPJ, best kernel", bound: upTo, speedup: 175, cores: 256}, {what: "MPJ Express", bound: lessThan, speedup: 30},
		{what: "Java threads", bench: "cg", bound: moreThan, speedup: 30}, {what: "Java threads", bench: "ft", bound: moreThan, speedup: 30},
	}},
	{names: "thesis-5.8", caption: "Gadget runtime and scalability on the x86-64 cluster and the Finis Terrae supercomputer", kinds: "kernels", benches: gadget, stated: jGadget},

	// Chapter 6.
	{names: "thesis-6.4", caption: "Point-to-point communication performance on the analyzed testbeds over 10 Gigabit Ethernet", kinds: "combined", over: cell.Network, stated: ec2},
	{names: "thesis-6.5", caption: "Point-to-point shared memory communication performance on the analyzed testbeds", kinds: "combined", over: cell.Memory, stated: []stated{
		{what: "MPI on EC2", bound: lessThan, latency: 0.5}, {what: "FastMPJ on EC2; MPI, native", bound: lessThan, latency: 1}, {what: "FastMPJ, native", latency: 1.5},
		{what: "FastMPJ, MPICH2 on EC2", gbits: 60}, {what: "Open MPI on EC2", gbits: 38},
	}},
	{names: "thesis-6.6", caption: "NPB performance on Amazon EC2 HVM, CAG PV and CAG native testbeds", kinds: "kernels", benches: npbIB,
		stated: []stated{{what: "two native nodes", bench: "mg", bound: about, mops: 10000, cores: 16}}},

	// Chapter 7.
	{names: "thesis-7.3", caption: "Point-to-point communication performance on Amazon EC2 CC instances over 10 Gigabit Ethernet", kinds: "combined", over: cell.Network, stated: cc},
	{names: "thesis-7.4", caption: "Point-to-point shared memory communication performance on Amazon EC2 CC instances", kinds: "combined", over: cell.Memory, stated: []stated{
		{what: "Open MPI, CC1", latency: 0.3}, {what: "MPICH2, FastMPJ, CC1", latency: 0.4}, {what: "Open MPI, CC2", latency: 0.35}, {what: "MPICH2, FastMPJ, CC2", bound: about, latency: 0.47},
		{what: "Open MPI, CC1", gbits: 60.9}, {what: "MPICH2, FastMPJ, CC1", gbits: 62.5},
	}},
	{names: "thesis-7.5", caption: "NPB kernels serial performance", kinds: "serial", benches: npbIB, remarks: []string{"the compilers hardly differ"}},
	{names: "thesis-7.6", caption: "NPB kernels performance and scalability on Amazon EC2 CC1 instances", kinds: "kernels", benches: npbIB,
		stated: []stated{{what: "best, CC1", bench: "cg", speedup: 22, cores: 64}}},
	{names: "thesis-7.7", caption: "NPB kernels performance and scalability on Amazon EC2 CC2 instances", kinds: "kernels", benches: npbIB,
		stated: []stated{{what: "best, CC2", bench: "cg", speedup: 40, cores: 256}, {what: "FastMPJ", bound: upTo, bench: "mg", speedup: 53}}},
	{names: "thesis-7.8", caption: "NPB kernels productivity on Amazon EC2 CC instances", kinds: "productivity", benches: npbIB, prices: 2012},
	{names: "thesis-7.9", caption: "NPB kernels performance on Amazon EC2 CC instances (ppi = processes per instance)", kinds: "kernels", benches: npbIB, remarks: ppi},
	{names: "thesis-7.10", caption: "NPB/NPB-MZ kernels serial performance", kinds: "serial", benches: "bt lu sp bt-mz lu-mz sp-mz"},
	{names: "thesis-7.11", caption: "NPB/NPB-MZ kernels scalability (tpp = threads per process – ppi = processes per instance)", kinds: "hybrid", benches: "bt lu sp bt-mz lu-mz sp-mz", stated: []stated{
		{what: "best without threads, CC2", bench: "bt", speedup: 60, cores: 512}, {what: "best, CC2", bench: "bt-mz", speedup: 185, cores: 512},
	}},

	// Chapters 8 and 9: what BT-IO draws.
	{names: "thesis-8.7", caption: "BT-IO performance on Amazon EC2 CC and high I/O instances", kinds: "storage", benches: "bt-io", panels: "storage_Bps",
		stated: btioEC2, remarks: btioBandwidths},
	{names: "thesis-8.8", caption: "BT-IO productivity using on-demand, spot and reserved instances", kinds: "productivity", benches: "bt-io", panels: figure.StoragePerCost, remarks: btioPrices, prices: 2012},
	{names: "thesis-9.7", caption: "NPB BT-IO and FLASH-IO results using OrangeFS with 4 I/O servers", kinds: "storage productivity", benches: "bt-io flash-io", panels: "storage_Bps " + figure.StoragePerCost,
		remarks: []string{"BT-IO, class C, full, at 121 ranks: 460 MB/s with SSDs, 350 MB/s without", "FLASH-IO: more than 830 MB/s at 64 and 128 ranks with SSDs, 455 MB/s from 32 ranks on with HS1 servers"}, prices: 2013},

	// The paper on devices.
	{names: "devices-3", caption: "Message-passing point-to-point performance on Gigabit Ethernet (x86_64 cluster)", kinds: "combined", over: cell.Network, stated: []stated{{what: "all", bound: moreThan, latency: 50}, {what: "limit of the network", gbits: 1}}},
	{names: "devices-4", caption: "Message-passing point-to-point performance on Scalable Coherent Interface (SCI) (x86_64 cluster)", kinds: "combined", over: cell.Network, stated: []stated{
		{what: "ScaMPI", latency: 4}, {what: "mpiJava", latency: 13}, {what: "iodev", latency: 14}, {what: "niodev", latency: 47}, {what: "MPJ Express with niodev", latency: 71},
		{what: "mpiJava above 64 KiB", bound: lessThan, gbits: 1.5},
	}},
	{names: "devices-5", caption: "Message-passing point-to-point performance on Myrinet (x86_64 cluster)", kinds: "combined", over: cell.Network, stated: []stated{
		{what: "iodev", latency: 17}, {what: "mpiJava", latency: 13}, {what: "mxdev", latency: 16}, {what: "MPJ Express with mxdev", latency: 24},
		{what: "iodev", gbits: 1.8}, {what: "MPJ Express with mxdev", bound: about, gbits: 1.3},
	}},
	{names: "devices-6", caption: "Message-passing point-to-point performance on InfiniBand (x86_64 cluster)", kinds: "combined", over: cell.Network, stated: []stated{{what: "MPJ Express with niodev", bound: lessThan, gbits: 2.2}}},
	{names: "devices-7", caption: "Point-to-point performance on shared memory (x86_64 cluster)", kinds: "combined", over: cell.Memory,
		remarks: []string{"bandwidth drops at 512 KB, the first size that goes by rendezvous, and from 1 MB on, beyond the L2 cache"}},
	{names: "devices-8", caption: "Point-to-point performance on InfiniBand (Finis Terrae)", kinds: "combined", over: cell.Network, stated: []stated{
		{what: "HP MPI", latency: 6}, {what: "iodev", latency: 62}, {what: "niodev", latency: 88}, {what: "HP MPI", gbits: 10.4}, {what: "iodev", gbits: 9}, {what: "niodev", gbits: 7.5},
	}},
	{names: "devices-9", caption: "Point-to-point performance on shared memory (Finis Terrae)", kinds: "combined", over: cell.Memory, stated: []stated{
		{what: "HP MPI", bound: lessThan, latency: 1}, {what: "HP MPI and smpdev", bound: moreThan, gbits: 10},
	}},
	{names: "devices-10", caption: "Execution times and scalability of Message-Passing Interface/Message Passing in Java finite-difference time-domain (MPI/MPJ FDTD) on the Finis Terrae", kinds: "kernels", benches: "fdtd", stated: []stated{
		{what: "C, 4096 x 4096, 200 steps", seconds: 80, cores: 1}, {what: "Java, 4096 x 4096, 200 steps", seconds: 179, cores: 1},
	}},
	{names: "devices-11", caption: "Execution times and scalability of Message-Passing Interface/Message Passing in Java (MPI/MPJ) Gadget on the Finis Terrae", kinds: "kernels", benches: gadget, stated: []stated{
		{what: "C", seconds: 1114, cores: 1}, {what: "Java", seconds: 2295, cores: 1}, {what: "all", bound: lessThan, speedup: 50},
	}},

	// F-MPJ.
	{names: "fmpj-11", caption: "MPJ point-to-point primitives performance", kinds: "together", benches: "pingpong doubles", remarks: []string{
		"for byte arrays F-MPJ is faster than MPJ/Ibis by up to 40 % inside a node and 9 times as fast between nodes, up to 5 times as fast as MPJ Express inside and 70 % faster between",
		"for double arrays it is up to 10 and 20 times as fast as the two",
	}},
	{names: "fmpj-12", caption: "MPJ collective primitives performance", kinds: "delivered", benches: "bcast reduce", sizes: []int64{1 << 10, 1 << 20}, remarks: []string{
		"F-MPJ is faster by up to 5.8 (bcast, 1 KB), 16 (bcast, 1 MB), 60 (reduce, 1 KB) and 50 times (reduce, 1 MB)",
	}},
	{names: "fmpj-13", caption: "Speedups of Crypt and LUFact JGF kernels", kinds: "kernels", benches: "crypt lufact",
		remarks: []string{"F-MPJ is up to 330 % faster in Crypt, and up to 8 times as fast in LUFact"}},
	{names: "fmpj-14", caption: "Speedups of MolDyn JGF application", kinds: "kernels", benches: "moldyn", remarks: []string{"F-MPJ is up to 3.5 times as fast"}},

	// Java Fast Sockets. Latencies and bandwidths are figures of their own.
	{names: "jfs-5", caption: "SCI latency", kinds: "together", benches: arrays, panels: "half_rtt_s", stated: []stated{{what: "JFS", latency: 6}, {what: "sockets over SCIP", latency: 36, to: 48}},
		remarks: []string{"JFS adds 1 to 2 µs to SCI Sockets"}},
	{names: "jfs-6", caption: "SCI bandwidth", kinds: "together", benches: arrays, panels: "bandwidth_Bps", stated: []stated{
		{what: "JFS", bound: upTo, gbits: 2.366}, {what: "sockets over SCIP", bound: lessThan, gbits: 0.45}, {what: "serialised integers over JFS", bound: upTo, gbits: 1.2},
	}},
	{names: "jfs-7", caption: "Myrinet latency", kinds: "together", benches: arrays, panels: "half_rtt_s", stated: []stated{{what: "JFS", latency: 7}, {what: "sockets over IPoMX", latency: 22}, {what: "JFS over Sockets-GM", latency: 23}}},
	{names: "jfs-8", caption: "Myrinet bandwidth", kinds: "together", benches: arrays, panels: "bandwidth_Bps", stated: []stated{{what: "JFS and sockets over IPoMX", gbits: 1.7}}},
	{names: "jfs-9", caption: "Gigabit Ethernet latency", kinds: "together", benches: arrays, panels: "half_rtt_s", stated: []stated{{what: "all", bound: about, latency: 50}},
		remarks: []string{"latencies are clustered around 55 and 120 µs", "serialisation adds 4 to 7 µs"}},
	{names: "jfs-10", caption: "Gigabit Ethernet bandwidth", kinds: "together", benches: arrays, panels: "bandwidth_Bps", stated: []stated{
		{what: "JFS", gbits: 0.892, size: 2 << 20}, {what: "JFS, MTU 9000", gbits: 0.932, size: 2 << 20},
	}},
	{names: "jfs-11", caption: "Latency of shared memory communication", kinds: "together", benches: arrays, panels: "half_rtt_s", stated: []stated{{what: "JFS", latency: 8}, {what: "sockets of the JVM", bound: about, latency: 16}}},
	{names: "jfs-12", caption: "Bandwidth of shared memory communication", kinds: "together", benches: arrays, panels: "bandwidth_Bps", stated: []stated{
		{what: "JFS over Unix sockets", gbits: 41, size: 512 << 10}, {what: "JFS over TCP", gbits: 34, size: 512 << 10}, {what: "JFS without the protocol for shared memory", gbits: 9},
		{what: "sockets of the JVM, bytes", bound: lessThan, gbits: 6}, {what: "sockets of the JVM, int and double", bound: lessThan, gbits: 1.5},
	}},
	{names: "jfs-13", caption: "MPJ LUFact performance", kinds: "kernels", benches: "lufact", remarks: []string{"JFS-based MPJ has a speedup up to 179 % higher, on 16 processors over SCI"}},
	{names: "jfs-14", caption: "MPJ Moldyn performance", kinds: "kernels", benches: "moldyn", remarks: []string{"JFS-based MPJ is faster by up to 14 % on Gigabit Ethernet and 42 % on SCI, on 16 processors"}},
	{names: "jfs-15", caption: "ProActive NAS parallel benchmarks", kinds: "kernels", benches: "mg cg", remarks: []string{"JFS raises the speedup by up to 24 % for MG and 157 % for CG"}},
}

var (
	// BT-IO on EC2, chapter 8.
	btioEC2        = []stated{{what: "best, servers with SSDs and CC2 clients", bound: upTo, bench: "bt-io", mops: 42000, cores: 64}}
	btioBandwidths = []string{"class C, full, at 64 ranks: 254 to 271 MB/s on CC1, 302 to 327 MB/s on CC2, 338 MB/s with SSDs", "input and output take 25 to 35 % of the run"}
	btioPrices     = []string{"at 64 ranks its bandwidths and prices on demand give 23.2 MB/s for 1 USD/h on CC1, 27.3 on CC2 and 26.6 with SSDs", "spot and reserved instances are more productive"}

	jGadget = []stated{{what: "x86-64 cluster", bound: upTo, speedup: 48, cores: 128}, {what: "Finis Terrae", bound: upTo, speedup: 57, cores: 256}}
	ppi     = []string{"with one process per instance IS is up to 7 times as fast on CC2 and 3.3 times on CC1, FT 2.3 times on CC1; CG gains nothing"}
)
