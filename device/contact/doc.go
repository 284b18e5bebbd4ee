// Package contact connects the ranks of a job in pairs by stream connections, for transports whose
// ranks listen at addresses that all know.
//
// Either rank of a pair may connect ("call"). A handshake (handshake.go) excludes other programs:
// it exchanges a magic number, a version, the rank, and proofs that both sides know the secret of
// the job. Handshakes run concurrently, have a deadline, and their number is bounded, so that
// strangers neither delay the ranks nor exhaust their descriptors.
//
// If both ranks of a pair call simultaneously, one connection is kept: the higher rank refuses the
// lower one while a handshake of its own is under way, and otherwise accepts it and ends its own
// call. So a firewall that lets connections through in one direction only does no harm.
package contact
