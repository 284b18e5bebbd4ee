// Package hybrid is the transport of jobs with several ranks on each of several hosts: smem carries
// the messages between ranks of one host, and a network those between hosts, within one device. The
// thesis names it as future work (docs/sources.md). The drivers are smem+tcp and smem+ibv.
//
// A host here is a set of ranks that share memory, as device.Job.Hosts defines it. In a job whose
// processes are such hosts (several goroutines per process), messages are copied directly inside a
// process and use the network between processes.
//
// # One protocol
//
// Matching, order, wildcards and flow control are implemented by package protocol, which supports
// several wires, each for some of the peers (protocol.Config.Parts). So a receive from any source
// matches messages of both kinds of peers in order of arrival, and a message between two ranks runs
// only the code of their wire. While a rank waits for a rank of its host, the network is polled in
// one call of 32 and after each yield. If ranks outnumber processors, a waiting rank sleeps until a
// descriptor is ready: a socket, or the pipe by which ranks of its host wake it.
//
// # The drivers of the wires
//
// A transport imports no other, so that each can be built, tested and read alone. This package
// looks its two drivers up in the registry (device.Lookup) and opens each wire for some pairs of
// ranks (protocol.WireOpener). Package transports/all imports all of them.
//
// All ranks open both wires together, and only those that are needed: no network if all ranks are
// on one host, no smem if each rank is alone on its host. If a rank cannot open a wire, none gets a
// device, and the error on all ranks has the reason of the lowest such rank. No other wire is used
// instead, because the record would then name the wrong transport.
//
// # Options
//
// A driver has the options of both wires. Those of the protocol (eager_limit, fragment, rndv, wait)
// apply to both; if the effective values differ, the record has both, joined by "+", smem first.
// The options inside and between of the record name the wires that were opened.
package hybrid
