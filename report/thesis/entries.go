package thesis

import "gobench/report/figure"

// Environments whose numbers several figures repeat.
var (
	ec2 = []stated{ // chapter 6: Amazon EC2, CC1 instances, 10 Gigabit Ethernet
		{what: "MPI on EC2, middle of 55 to 60", latency: 57.5},
		{what: "MPI on EC2, up to", gbits: 3.7},
		{what: "TCP on EC2", latency: 52, gbits: 5.5},
		{what: "niodev on EC2", latency: 140},
		{what: "MPI and TCP with passthrough, middle of 28 to 35", latency: 31.5},
		{what: "TCP with passthrough", gbits: 7.2},
		{what: "TCP, native", gbits: 8.2},
	}
	cc = []stated{ // chapter 7: CC1 and CC2 instances, 10 Gigabit Ethernet
		{what: "CC1", latency: 55, gbits: 4.9},
		{what: "CC2, middle of 50 to 54", latency: 52}, {what: "CC2, up to", gbits: 5.4},
	}
)

// entries are the figures of the thesis that records can be drawn as. The numbers come from the
// text and the tables of the chapter that a figure belongs to.
var entries = []entry{
	{"1.3", "Message-passing point-to-point performance on IB", figure.Combined, nil, []stated{
		{what: "ibvdev, IB DDR", latency: 11, gbits: 7.2}, {what: "sockets over IB", latency: 65, gbits: 3},
	}},
	{"1.4", "Performance and scalability of the NPB FT kernel on IB", figure.Kernels, []string{"ft"}, nil},
	{"1.6", "Point-to-point performance on IB, 10 Gigabit Ethernet (10 GbE) and Myrinet", figure.Combined, nil, []stated{
		{what: "ibvdev, IB QDR", latency: 2.2, gbits: 22.5}, {what: "psmdev, IB DDR", latency: 1.9, gbits: 11.5},
		{what: "mxdev, 10 GbE", latency: 15.6, gbits: 9.4}, {what: "mxdev, Myrinet", latency: 5.2},
	}},
	{"1.7", "Broadcast performance on IB and Myrinet", figure.Collectives, []string{"bcast"}, nil},
	{"1.8", "Performance of NPB CG and MG kernels on IB", figure.Kernels, []string{"cg", "mg"}, nil},
	{"1.11", "Point-to-point performance on RoCE and Cray Gemini", figure.Combined, nil, []stated{
		{what: "ibvdev, RoCE", latency: 1.15, gbits: 36.6}, {what: "ugnidev, Gemini", latency: 1.45, gbits: 49.2},
	}},
	{"1.12", "Scalability of the NPB FT kernel on IB and Cray Gemini", figure.Kernels, []string{"ft"}, []stated{
		{what: "ibvdev, more than", speedup: 130, cores: 256, bench: "ft"}, {what: "mxmdev", speedup: 102, cores: 256, bench: "ft"},
		{what: "Open MPI Java", speedup: 99, cores: 256, bench: "ft"},
	}},
	{"1.13", "Scalability of the FDTD parallel application on IB and Cray Gemini", figure.Kernels, []string{"fdtd"}, nil},
	{"1.15", "Message-passing point-to-point performance on 10 Gigabit Ethernet", figure.Combined, nil, ec2},
	{"1.16", "Performance of the NPB IS kernel on 10 Gigabit Ethernet", figure.Kernels, []string{"is"}, nil},
	{"1.17", "Point-to-point performance on Amazon EC2 cluster instances over 10 Gigabit Ethernet", figure.Combined, nil, cc},
	{"1.18", "Performance of the NPB FT and MG kernels on Amazon EC2", figure.Kernels, []string{"ft", "mg"}, nil},
	{"1.19", "Productivity of NPB FT and MG kernels on Amazon EC2", figure.Productivity, []string{"ft", "mg"}, nil},
	{"3.9", "Weak scaling of NPB kernels: performance and efficiency", figure.Efficiency, nil, nil},
	{"5.2", "Variability of NPB kernels", figure.Variability, []string{"cg", "ep", "ft", "is", "mg"}, nil},
	{"5.3", "NPB on one core, relative to native MPI", figure.OneCore, nil, nil},
	{"5.5", "Collective primitives against message size and number of processes", collectives, nil, nil},
	{"6.4", "Point-to-point performance over 10 Gigabit Ethernet", figure.Combined, nil, ec2},
	{"6.5", "Point-to-point performance on shared memory", figure.Combined, nil, []stated{
		{what: "FastMPJ, MPICH2 on EC2", gbits: 60}, {what: "Open MPI on EC2", gbits: 38}, {what: "MPI on EC2, less than", latency: 0.5},
	}},
	{"6.6", "NPB kernels", figure.Kernels, []string{"cg", "ft", "is", "mg"}, nil},
	{"7.3", "Point-to-point performance over 10 Gigabit Ethernet, CC1 and CC2", figure.Combined, nil, cc},
	{"7.4", "Point-to-point performance on shared memory, CC1 and CC2", figure.Combined, nil, []stated{
		{what: "Open MPI, CC1", latency: 0.3, gbits: 60.9}, {what: "MPICH2, FastMPJ, CC1", latency: 0.4, gbits: 62.5}, {what: "Open MPI, CC2", latency: 0.35},
	}},
	{"7.6", "NPB kernels on CC1: performance and speedup", figure.Kernels, []string{"cg", "ft", "is", "mg"}, []stated{
		{what: "best, CC1", speedup: 22, cores: 64, bench: "cg"},
	}},
	{"7.7", "NPB kernels on CC2: performance and speedup", figure.Kernels, []string{"cg", "ft", "is", "mg"}, []stated{
		{what: "best, CC2", speedup: 40, cores: 256, bench: "cg"},
	}},
	{"7.8", "Productivity of NPB kernels", figure.Productivity, []string{"cg", "ft", "is", "mg"}, nil},
}
