// Package gni is the transport over uGNI, the driver "gni": the Gemini and Aries networks of Cray
// XE, XK and XC. It follows the device ugnidev of the thesis (chapter 4): a protocol.Wire over
// short messages (SMSG), and puts and gets by FMA and by the block transfer engine (BTE).
//
// # Building
//
// The build tag gni and cgo include it (make build-full). It needs no header of the vendor: package
// ugni has its own declarations, because the licence of Cray's header does not permit to copy it.
// With the tag ugni_sys they are compared with a site's header. libugni.so.0 is opened when the
// program runs.
//
// This machine needs no Cray for the tests: package emulator is a libugni.so.0 of our own, in C
// over shared memory. It makes the checks of the hardware and produces its faults, by the variable
// GOBENCH_GNI_EMULATOR (emulator/faults.c). It is never part of gobench; LD_LIBRARY_PATH leads to
// it, and records made with it contain "emulated".
//
// # Messages
//
// Every pair of ranks has a mailbox in each direction, registered memory of the receiver. A sender
// writes a message there as long as it has credits; the library returns credits with the messages
// that the receiver has released. Mailboxes are smaller in larger jobs (option mailbox).
//
//	ugnidev                     here
//	SMSG up to the mailbox      a packet
//	eager path 2, to 16 KiB     packets of the size of the mailbox: eager_limit=16KiB
//	rendezvous GET, to 64 KiB   rndv=auto, get_limit=64KiB: RTS, GET by the receiver, notice
//	rendezvous PUT above that   RTS, CTS, PUT by the sender, notice
//	FMA up to 2 KiB, else BTE   fma_limit=2KiB
//	registration cache          reg_cache
//
// These are the defaults. Instead of its second eager path, whose pool of registered buffers is
// read by GET, medium messages are cut into packets: both sides copy at the same time.
//
// A notice is a short message that the writer sends when the completion queue reports that the data
// is in place (a global event): short messages are not ordered after puts.
//
// # Alignment
//
// GET takes addresses and lengths that are multiples of 4. A message that is not aligned is written
// by PUT, which has no such rule (unaligned=put, as in ugnidev), or its head and tail are read
// through bounce buffers, a whole word each (unaligned=bounce). Where the two addresses differ in
// their remainder, rndv=get reads all of it through bounce buffers. Memory is registered from its
// first to its last whole word.
//
// # Completion queues
//
// There is a queue for short messages and FMA, one for the BTE, and one for arriving messages. The
// first two have room for all that a rank begins. If the third runs over, events are lost, and all
// mailboxes are looked into; that is also done every 10 ms. An event may come before its message
// can be read, because the network is adaptive: the mailbox is looked into for a while.
//
// # Connecting
//
// ALPS, or PMI under Slurm, gives the protection tag and the cookie of the job by the environment
// (PMI_GNI_PTAG, PMI_GNI_COOKIE). The ranks exchange addresses and the handles of their mailboxes
// by the job's own exchange. All connections are made when the device is opened, or with
// connect=lazy each with the first message of the pair, by datagrams.
//
// # Failure
//
// A transaction error from which the network recovers is answered by posting the operation again,
// up to 16 times. Other errors end the connection: the peer is told by a short message, the
// operations with it are waited for, and cached registrations end, because the peer knows their
// handles. A peer from which nothing has come for a while is asked by an FMA PUT of no bytes, which
// its NIC acknowledges while its process lives.
package gni
