// Package hybrid is the transport of jobs with several ranks on each of several hosts: smem carries
// the messages between ranks of one host, and a network those between hosts, within one device. The
// thesis names it as future work (docs/sources.md). The drivers are smem+tcp and smem+ibv.
//
// A host here is a set of ranks that share memory, by device.Job.Hosts. Where a job says that the
// goroutines of a process are a host, messages go directly from memory to memory inside a process
// and by the network between processes.
//
// # One protocol
//
// Matching, order, wildcards and flow control are those of package protocol, which has several
// wires and knows which of them reaches a peer (protocol.Config.Parts). So a receive from any
// source matches messages of both kinds of peers in the order of their arrival, and between a rank
// and its peer the code of smem or of the network runs alone. While a rank waits for a rank of its
// host, the network is polled in one call of 32 and after each yield. Where ranks outnumber
// processors, a waiting rank sleeps until a descriptor is ready: a socket, or the pipe by which
// ranks of its host wake it.
//
// # The drivers of the wires
//
// A transport imports no other, so that each can be built, tested and read alone. This package asks
// the registry for its two drivers when they are needed (device.Lookup), and opens their wires for
// some pairs of ranks each (protocol.WireOpener). Package transports/all imports all of them.
//
// Both wires are opened by all ranks together, and only where they are needed: without the network
// if all ranks are on one host, without smem if each is alone on its host. If a rank cannot open a
// wire, none gets a device, and the error on all ranks has the reason of the lowest such rank.
// Another wire is not used in its place, because the record would then name the wrong transport.
//
// # Options
//
// A driver has the options of both wires. Those of the protocol (eager_limit, fragment, rndv, wait)
// apply to both; where the values in force differ, the record has both, joined by "+", of smem
// first. The options inside and between of the record name the wires that were opened.
package hybrid
