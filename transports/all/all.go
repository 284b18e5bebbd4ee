// Package all is the only list of transports: importing it registers them.
package all

import (
	_ "gobench/transports/gni"
	_ "gobench/transports/hybrid"
	_ "gobench/transports/mpi"
	_ "gobench/transports/mxm"
	_ "gobench/transports/ofi"
	_ "gobench/transports/sctp"
	_ "gobench/transports/smem"
	_ "gobench/transports/sockets"
	_ "gobench/transports/tcp"
	_ "gobench/transports/ucx"
	_ "gobench/transports/verbs"
)
