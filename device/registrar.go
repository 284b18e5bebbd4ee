package device

// A Registrar is a Channel that registers the memory of messages with its network.
type Registrar interface {
	// Registrations returns the counts of this rank. ok is false where it registers no memory of
	// messages.
	Registrations() (r Registrations, ok bool)
}

// Registrations counts the buffers of messages that had to be registered with the network. Buffers
// of a Device's allocator, which are registered when they are made, do not count.
type Registrations struct {
	Hits   int64 // buffers whose registration was in the cache
	Misses int64 // buffers that were registered for their message
	Pinned int64 // bytes registered now, those of the allocator included
}
