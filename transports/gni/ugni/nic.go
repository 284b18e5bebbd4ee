//go:build gni && cgo

// Package ugni calls Cray's uGNI, which is opened when the program runs: a NIC with its completion
// queues, mailboxes and one-sided operations. It is a thin layer of C: Go makes one call to send a
// packet and one to poll for events.
package ugni

// #cgo CFLAGS: -O2 -std=gnu11 -Wall -Wextra -Werror
// #cgo noescape gb_nic_post
// #cgo nocallback gb_nic_post
// #cgo nocallback gb_nic_register
// #cgo nocallback gb_nic_deregister
// #include "nic.h"
import "C"

import (
	"fmt"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"gobench/transports/native"
)

// A Library describes the library that is open.
type Library struct {
	File     string
	Version  string // revision of the API
	Device   string // "Gemini" or "Aries"
	Emulated bool
}

// oldest is the revision of the oldest header whose layouts are known.
const oldest = 0x00550000

// open is the library that is open, once name is not empty.
var open struct {
	sync.Mutex
	name string
	Library
}

// Load opens the library of that name at the first call, permanently. Later calls must have the
// same name.
func Load(name string) (Library, error) {
	open.Lock()
	defer open.Unlock()
	if open.name == name {
		return open.Library, nil
	} else if open.name != "" {
		return Library{}, native.Another(open.name, name)
	}
	found, err := load(name)
	if err == nil {
		open.name, open.Library = name, found
	}
	return found, err
}

func load(name string) (Library, error) {
	l, err := native.Open(native.Private, name)
	if err != nil {
		return Library{}, err
	}
	if err := l.Bind(unsafe.Pointer(&C.gni), native.Names(unsafe.Pointer(C.gb_gni_names()))); err != nil {
		l.Close()
		return Library{}, err
	}
	var version C.uint32_t
	var kind C.gni_nic_device_t
	var devices C.int
	found := Library{File: l.File(), Emulated: C.gni.emulated != nil}
	if err := check("GNI_GetVersion", C.gb_gni_facts(&version, &kind, &devices)); err != nil {
		l.Close()
		return Library{}, err
	}
	found.Version = fmt.Sprintf("%#x", uint32(version))
	if version < oldest {
		l.Close()
		return Library{}, native.Older(found.File, found.Version, fmt.Sprintf("%#x", oldest))
	}
	if found.Device = "Gemini"; kind == 1 {
		found.Device = "Aries"
	}
	if devices < 1 {
		l.Close()
		return Library{}, fmt.Errorf("%s: it finds no NIC", found.File)
	}
	return found, nil
}

// An Error reports a failed function of the library.
type Error struct {
	Call string
	Code int // of the library
}

func (e *Error) Error() string {
	return e.Call + " returns " + C.GoString(C.gb_gni_code(C.gni_return_t(e.Code)))
}

// Exhausted reports whether a resource of the library is exhausted, such as registered memory.
func (e *Error) Exhausted() bool {
	return e.Code == C.GNI_RC_ERROR_RESOURCE || e.Code == C.GNI_RC_ERROR_NOMEM
}

func check(call string, rc C.int) error {
	if rc >= 0 {
		return nil
	}
	return &Error{call, int(-rc)}
}

// Modes of a communication domain, as UCX opens it.
const Modes = C.GNI_CDM_MODE_FORK_FULLCOPY | C.GNI_CDM_MODE_CACHED_AMO_ENABLED | C.GNI_CDM_MODE_ERR_NO_KILL |
	C.GNI_CDM_MODE_FAST_DATAGRAM_POLL | C.GNI_CDM_MODE_FMA_SHARED

// A Config is the configuration of a NIC. Peers are identified by their ranks, which are their
// instances.
type Config struct {
	Rank, Ranks      int
	Tag              uint8  // protection tag of the job
	Cookie           uint32 // of the job
	Device           int
	Credits, Mailbox int  // of a mailbox: messages, and bytes of one, its head included
	Buffers          int  // of messages that the library has not sent yet
	Posts            int  // one-sided operations under way
	Events           int  // entries of the queue of arriving messages
	Blocking         bool // which Sleep waits for
}

// Datagram is the most bytes of a greeting.
const Datagram = C.GNI_DATAGRAM_MAXSIZE

// A NIC belongs to one goroutine at a time.
type NIC struct {
	n      *C.struct_nic
	caller native.Caller
	turn   native.Turn
	out    Outgoing
	events []Event
}

// Open opens a NIC. The library must be loaded.
func Open(c Config) (*NIC, error) {
	config := (*C.struct_config)(C.calloc(1, C.sizeof_struct_config))
	defer C.free(unsafe.Pointer(config))
	*config = C.struct_config{
		instance: C.uint32_t(c.Rank), cookie: C.uint32_t(c.Cookie), modes: Modes, device: C.uint32_t(c.Device), peers: C.uint32_t(c.Ranks),
		ptag: C.uint8_t(c.Tag), credits: C.uint32_t(c.Credits), mailbox: C.uint32_t(c.Mailbox),
		buffers: C.uint32_t(c.Buffers), posts: C.uint32_t(c.Posts), events: C.uint32_t(c.Events),
	}
	if c.Blocking {
		config.blocking = 1
	}
	n := new(NIC)
	var rc C.gni_return_t
	if what := C.gb_nic_open(config, &n.n, &rc); what != nil {
		return nil, &Error{C.GoString(what), int(rc)}
	}
	var err error
	if n.caller, err = native.NewCaller(); err != nil {
		C.gb_nic_close(n.n)
		return nil, err
	}
	n.events = unsafe.Slice((*Event)(unsafe.Pointer(C.gb_nic_events(n.n))), C.EVENTS)
	return n, nil
}

// Close frees the NIC.
func (n *NIC) Close() {
	C.gb_nic_close(n.n)
	n.caller.Close()
	n.n, n.events = nil, nil
}

// Address is the address of the NIC in its network.
func (n *NIC) Address() uint32 { return uint32(C.gb_nic_address(n.n)) }

// Memory is the handle of registered memory, which any rank of the job may use.
type Memory [2]uint64

func (m *Memory) c() *C.gni_mem_handle_t { return (*C.gni_mem_handle_t)(unsafe.Pointer(m)) }

// A Mailbox is the memory in which a rank receives the messages of one peer.
type Mailbox struct {
	Base         uint64
	Handle       Memory
	Size, Offset uint32
}

var _ = [1]struct{}{}[unsafe.Sizeof(Mailbox{})-unsafe.Sizeof(C.struct_mailboxes{})]

// Mailbox returns this rank's mailbox for a peer.
func (n *NIC) Mailbox(peer int) (m Mailbox) {
	C.gb_nic_mailboxes(n.n, C.uint32_t(peer), (*C.struct_mailboxes)(unsafe.Pointer(&m)))
	return m
}

// Bind creates the endpoint of a peer.
func (n *NIC) Bind(peer int, address uint32) error {
	var rc C.gni_return_t
	if what := C.gb_nic_bind(n.n, C.uint32_t(peer), C.uint32_t(address), C.uint32_t(peer), &rc); what != nil {
		return &Error{C.GoString(what), int(rc)}
	}
	return nil
}

// Connect connects the endpoint of a peer with theirs, its Mailbox for this rank.
func (n *NIC) Connect(peer int, theirs Mailbox) error {
	var rc C.gni_return_t
	if what := C.gb_nic_connect(n.n, C.uint32_t(peer), (*C.struct_mailboxes)(unsafe.Pointer(&theirs)), &rc); what != nil {
		return &Error{C.GoString(what), int(rc)}
	}
	return nil
}

// Register registers memory for all access by the ranks of the job.
func (n *NIC) Register(start, length uintptr) (m Memory, err error) {
	err = check("GNI_MemRegister", C.gb_nic_register(n.n, C.uint64_t(start), C.uint64_t(length), m.c()))
	return m, err
}

// Deregister ends a registration.
func (n *NIC) Deregister(m Memory) error {
	return check("GNI_MemDeregister", C.gb_nic_deregister(n.n, m.c()))
}

// Sent is the result of a call that sends or posts: 0, NoRoom, or below 0 a code of the library.
type Sent int

// NoRoom means that credits, buffers or places for operations are used up: nothing was begun, and
// Poll may make room.
const NoRoom Sent = C.NO_ROOM

// Err returns the error of a result below 0.
func (s Sent) Err(call string) error { return check(call, C.int(s)) }

// Tags of messages.
const (
	TagPacket  = C.TAG_PACKET
	TagNotice  = C.TAG_NOTICE
	TagSevered = C.TAG_SEVERED
)

// An Outgoing is a message passed to C by Send. Its layout equals struct outgoing.
type Outgoing struct {
	Header                  [3]uint64
	data                    uintptr
	length, Peer, Tag, Word uint32
}

var _ = [1]struct{}{}[unsafe.Sizeof(Outgoing{})-unsafe.Sizeof(C.struct_outgoing{})]

// The functions that a rank calls for every packet.
var (
	sendFunction = unsafe.Pointer(C.gb_nic_send)
	pollFunction = unsafe.Pointer(C.gb_nic_poll)
)

// Send copies a message and sends it. data must not be on a stack.
func (n *NIC) Send(o Outgoing, data []byte) Sent {
	n.out = o
	n.out.data, n.out.length = uintptr(unsafe.Pointer(unsafe.SliceData(data))), uint32(len(data))
	s := n.caller.Call(sendFunction, uintptr(unsafe.Pointer(n.n)), uintptr(unsafe.Pointer(&n.out)))
	runtime.KeepAlive(data)
	return Sent(s)
}

// A Piece is a one-sided operation: a put of local memory, or with Get a read into it. Its layout
// equals struct piece.
type Piece struct {
	Local, Remote, Length, Token uint64
	Mine, Theirs                 Memory
	Peer, get, bulk, _           uint32
}

var _ = [1]struct{}{}[unsafe.Sizeof(Piece{})-unsafe.Sizeof(C.struct_piece{})]

// Post begins an operation: bulk ones by the block transfer engine (BTE), others by FMA.
func (n *NIC) Post(p *Piece, get, bulk bool) Sent {
	p.get, p.bulk = 0, 0
	if get {
		p.get = 1
	}
	if bulk {
		p.bulk = 1
	}
	return Sent(C.gb_nic_post(n.n, (*C.struct_piece)(unsafe.Pointer(p))))
}

// Alive probes the NIC of a peer by an empty FMA PUT to its mailbox. The answer is an event.
func (n *NIC) Alive(peer int, theirs Mailbox) Sent {
	return Sent(C.gb_nic_alive(n.n, C.uint32_t(peer), C.uint64_t(theirs.Base+uint64(theirs.Offset)), theirs.Handle.c()))
}

// Kind is the kind of an Event.
type Kind uint32

// The kinds of events.
const (
	Packet  Kind = C.EVENT_PACKET
	Notice  Kind = C.EVENT_NOTICE
	Severed Kind = C.EVENT_SEVERED // the peer has abandoned this rank
	Ended   Kind = C.EVENT_ENDED   // completion of the operation with Token
	Failed  Kind = C.EVENT_FAILED  // failure of the operation with Token; the peer is lost
	Lives   Kind = C.EVENT_ALIVE   // the answer to Alive
	Broken  Kind = C.EVENT_BROKEN  // the peer is lost: Reason
)

// An Event is an event found by Poll. Its layout equals struct event.
type Event struct {
	Kind   Kind
	Peer   uint32
	Header [3]uint64
	data   unsafe.Pointer
	length uint32
	Word   uint32
	Token  uint64
}

var _ = [1]struct{}{}[unsafe.Sizeof(Event{})-unsafe.Sizeof(C.struct_event{})]

// Data is the data of a packet, in the mailbox: valid until the next Poll.
func (e *Event) Data() []byte { return unsafe.Slice((*byte)(e.data), e.length) }

// Poll polls at most turns times for events. They are valid until the next Poll. At most one is a
// packet. An error ends all traffic of the NIC.
func (n *NIC) Poll(turns int) ([]Event, error) {
	found := n.caller.Call(pollFunction, uintptr(unsafe.Pointer(n.n)), uintptr(turns))
	n.turn.Take()
	if found < 0 {
		return nil, check("GNI_CqGetEvent", C.int(found))
	}
	return n.events[:found], nil
}

// Sleep waits for a message, for at most d, if the NIC was opened with Blocking. It returns
// immediately while an operation is outstanding whose completion is not a message. The next Poll
// returns the events found.
func (n *NIC) Sleep(d time.Duration) {
	C.gb_nic_sleep(n.n, C.uint32_t((d+time.Millisecond-1)/time.Millisecond))
}

// Sweep makes the next Poll check all mailboxes, for messages whose events were lost.
func (n *NIC) Sweep() { C.gb_nic_sweep(n.n) }

// Reason returns the reason why a peer is lost.
func (n *NIC) Reason(peer int) string { return C.GoString(C.gb_nic_reason(n.n, C.uint32_t(peer))) }

// Settle ends the traffic with a peer. It reports true while the NIC may still use local memory of
// operations with the peer; their events come with the next Poll.
func (n *NIC) Settle(peer int) bool { return C.gb_nic_settle(n.n, C.uint32_t(peer)) != 0 }

// Busy returns the number of outstanding messages and operations to a peer.
func (n *NIC) Busy(peer int) int { return int(C.gb_nic_busy(n.n, C.uint32_t(peer))) }

// Anyone is the peer of a greeting for any rank.
const Anyone = -1

// Greet exchanges a datagram with a peer that greets this rank, or with Anyone.
func (n *NIC) Greet(peer int, data []byte) Sent {
	return Sent(C.gb_nic_greet(n.n, C.uint32_t(peer), unsafe.Pointer(unsafe.SliceData(data)), C.uint16_t(len(data))))
}

// Ungreet ends an unanswered Greet.
func (n *NIC) Ungreet(peer int) error {
	return check("GNI_EpPostDataCancelById", C.gb_nic_ungreet(n.n, C.uint32_t(peer)))
}

// Greeted returns the next greeting: the peer of Greet, the rank that answered and its data.
func (n *NIC) Greeted(data *[Datagram]byte) (peer, rank int, ok bool, err error) {
	var p, instance C.uint32_t
	rc := C.gb_nic_greeted(n.n, &p, &instance, unsafe.Pointer(data))
	if rc < 0 {
		return int(int32(p)), 0, false, check("exchanging a datagram", rc)
	}
	return int(int32(p)), int(instance), rc == 1, nil
}

// Functions returns the names of the functions that are called.
func Functions() []string {
	names := native.Names(unsafe.Pointer(C.gb_gni_names()))
	return names[:len(names)-1]
}
