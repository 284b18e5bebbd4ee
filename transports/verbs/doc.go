// Package verbs is the transport over RDMA verbs, the driver "ibv": InfiniBand, RoCE and iWARP.
package verbs
