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
// Tests need no Cray: directory emulator has an own libugni.so.0, in C over shared memory. It does
// the checks of the hardware and injects its faults, as the variable GOBENCH_GNI_EMULATOR requests
// (emulator/faults.c). It is never part of gobench: LD_LIBRARY_PATH selects it, and records made
// with it contain "emulated".
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
// has been written (a global event), because short messages are not ordered after puts.
//
// # Alignment
//
// GET requires addresses and lengths that are multiples of 4. A message that is not aligned is
// written by PUT, which has no such rule (unaligned=put, as in ugnidev), or its head and tail are
// read through bounce buffers, a whole word each (unaligned=bounce). Where the two addresses differ
// in their remainder, rndv=get reads all of it through bounce buffers. Memory is registered from
// its first to its last whole word.
//
// # Completion queues
//
// There is a queue for short messages and FMA, one for the BTE, and one for arriving messages. The
// first two have room for all outstanding operations of a rank. If the third overflows, events are
// lost and all mailboxes are polled, as is also done every 10 ms. An event may arrive before its
// message can be read, because routing is adaptive: the mailbox is then polled for a while.
//
// # Connecting
//
// ALPS, or PMI under Slurm, passes the protection tag and the cookie of the job in the environment
// (PMI_GNI_PTAG, PMI_GNI_COOKIE). The ranks exchange addresses and mailbox handles by Job.Exchange.
// All connections are made when the device is opened, or with connect=lazy each with the first
// message of the pair, by datagrams.
//
// # Failure
//
// After a recoverable transaction error the operation is posted again, up to 16 times. Other errors
// end the connection: a short message notifies the peer, outstanding operations with it are
// completed, and cached registrations are dropped, because the peer knows their handles. A silent
// peer is probed by an FMA PUT of no bytes, which its NIC acknowledges while its process lives.
package gni
