//go:build verbs && cgo

package ibv

// #include "rail.h"
import "C"

import "fmt"

// Status is the status of a completion, enum ibv_wc_status.
type Status uint32

// Flushed is the status of what was under way on a connection that has been closed.
const Flushed Status = C.IBV_WC_WR_FLUSH_ERR

var statuses = map[Status][2]string{
	C.IBV_WC_SUCCESS:            {"IBV_WC_SUCCESS", "success"},
	C.IBV_WC_LOC_LEN_ERR:        {"IBV_WC_LOC_LEN_ERR", "a message longer than its receive buffer"},
	C.IBV_WC_LOC_QP_OP_ERR:      {"IBV_WC_LOC_QP_OP_ERR", "this queue pair cannot do that"},
	C.IBV_WC_LOC_EEC_OP_ERR:     {"IBV_WC_LOC_EEC_OP_ERR", "local EE context error"},
	C.IBV_WC_LOC_PROT_ERR:       {"IBV_WC_LOC_PROT_ERR", "the local buffer is not registered"},
	C.IBV_WC_WR_FLUSH_ERR:       {"IBV_WC_WR_FLUSH_ERR", "the connection is closed"},
	C.IBV_WC_MW_BIND_ERR:        {"IBV_WC_MW_BIND_ERR", "memory window error"},
	C.IBV_WC_BAD_RESP_ERR:       {"IBV_WC_BAD_RESP_ERR", "an answer that cannot be"},
	C.IBV_WC_LOC_ACCESS_ERR:     {"IBV_WC_LOC_ACCESS_ERR", "local access error"},
	C.IBV_WC_REM_INV_REQ_ERR:    {"IBV_WC_REM_INV_REQ_ERR", "the peer's adapter finds the request invalid"},
	C.IBV_WC_REM_ACCESS_ERR:     {"IBV_WC_REM_ACCESS_ERR", "the peer's memory is not registered for that"},
	C.IBV_WC_REM_OP_ERR:         {"IBV_WC_REM_OP_ERR", "the peer's adapter could not carry it out"},
	C.IBV_WC_RETRY_EXC_ERR:      {"IBV_WC_RETRY_EXC_ERR", "no answer from the peer's adapter after all retries"},
	C.IBV_WC_RNR_RETRY_EXC_ERR:  {"IBV_WC_RNR_RETRY_EXC_ERR", "the peer has no receive buffer"},
	C.IBV_WC_LOC_RDD_VIOL_ERR:   {"IBV_WC_LOC_RDD_VIOL_ERR", "local RDD violation"},
	C.IBV_WC_REM_INV_RD_REQ_ERR: {"IBV_WC_REM_INV_RD_REQ_ERR", "invalid RD request"},
	C.IBV_WC_REM_ABORT_ERR:      {"IBV_WC_REM_ABORT_ERR", "the peer has aborted it"},
	C.IBV_WC_INV_EECN_ERR:       {"IBV_WC_INV_EECN_ERR", "invalid EE context"},
	C.IBV_WC_INV_EEC_STATE_ERR:  {"IBV_WC_INV_EEC_STATE_ERR", "invalid EE context state"},
	C.IBV_WC_FATAL_ERR:          {"IBV_WC_FATAL_ERR", "the adapter has failed"},
	C.IBV_WC_RESP_TIMEOUT_ERR:   {"IBV_WC_RESP_TIMEOUT_ERR", "no answer in time"},
	C.LOST:                      {"packets were lost", "which UC and UD do not repeat"},
	C.IBV_WC_GENERAL_ERR:        {"IBV_WC_GENERAL_ERR", "transport error"},
}

// String returns the name of the status in verbs.h and its meaning.
func (s Status) String() string {
	if n, ok := statuses[s]; ok {
		return n[0] + ", " + n[1]
	}
	return fmt.Sprintf("IBV_WC status %d", uint32(s))
}

// An Operation is the kind of a failed request.
type Operation uint32

// The operations.
const (
	OpSend        Operation = C.SEND
	OpWrite       Operation = C.WRITE
	OpWriteNotice Operation = C.WRITE_NOTICE
	OpRead        Operation = C.READ
	OpAlive       Operation = C.ALIVE
	OpReceive     Operation = C.RECEIVE
	OpAtomic      Operation = C.ATOMIC
)

var operations = map[Operation]string{
	OpSend: "send", OpWrite: "RDMA write", OpWriteNotice: "RDMA write with immediate", OpRead: "RDMA read",
	OpAlive: "probe by an empty RDMA write", OpReceive: "receive", OpAtomic: "atomic operation",
}

func (o Operation) String() string { return operations[o] }

// AsyncEvent is an asynchronous event, enum ibv_event_type.
type AsyncEvent int

// The events that callers distinguish.
const (
	NoEvent     AsyncEvent = -1
	PortDown    AsyncEvent = C.IBV_EVENT_PORT_ERR
	PortUp      AsyncEvent = C.IBV_EVENT_PORT_ACTIVE
	DeviceFatal AsyncEvent = C.IBV_EVENT_DEVICE_FATAL
	QueueFatal  AsyncEvent = C.IBV_EVENT_QP_FATAL
	QueueReq    AsyncEvent = C.IBV_EVENT_QP_REQ_ERR
	QueueAccess AsyncEvent = C.IBV_EVENT_QP_ACCESS_ERR
	CQError     AsyncEvent = C.IBV_EVENT_CQ_ERR
	SRQError    AsyncEvent = C.IBV_EVENT_SRQ_ERR
)

var asyncEvents = map[AsyncEvent]string{
	PortDown: "IBV_EVENT_PORT_ERR", PortUp: "IBV_EVENT_PORT_ACTIVE", DeviceFatal: "IBV_EVENT_DEVICE_FATAL",
	QueueFatal: "IBV_EVENT_QP_FATAL", QueueReq: "IBV_EVENT_QP_REQ_ERR", QueueAccess: "IBV_EVENT_QP_ACCESS_ERR",
	CQError: "IBV_EVENT_CQ_ERR", SRQError: "IBV_EVENT_SRQ_ERR",
	C.IBV_EVENT_COMM_EST: "IBV_EVENT_COMM_EST", C.IBV_EVENT_SQ_DRAINED: "IBV_EVENT_SQ_DRAINED",
	C.IBV_EVENT_PATH_MIG: "IBV_EVENT_PATH_MIG", C.IBV_EVENT_PATH_MIG_ERR: "IBV_EVENT_PATH_MIG_ERR",
	C.IBV_EVENT_LID_CHANGE: "IBV_EVENT_LID_CHANGE", C.IBV_EVENT_PKEY_CHANGE: "IBV_EVENT_PKEY_CHANGE",
	C.IBV_EVENT_SM_CHANGE: "IBV_EVENT_SM_CHANGE", C.IBV_EVENT_SRQ_LIMIT_REACHED: "IBV_EVENT_SRQ_LIMIT_REACHED",
	C.IBV_EVENT_QP_LAST_WQE_REACHED: "IBV_EVENT_QP_LAST_WQE_REACHED", C.IBV_EVENT_CLIENT_REREGISTER: "IBV_EVENT_CLIENT_REREGISTER",
	C.IBV_EVENT_GID_CHANGE: "IBV_EVENT_GID_CHANGE", C.IBV_EVENT_WQ_FATAL: "IBV_EVENT_WQ_FATAL",
}

func (e AsyncEvent) String() string {
	if n, ok := asyncEvents[e]; ok {
		return n
	}
	return fmt.Sprintf("asynchronous event %d", int(e))
}
