package device

// A Registrar is a Channel that registers message buffers with its network.
type Registrar interface {
	// Registrations returns the counts of this rank. ok is false if it registers no message
	// buffers.
	Registrations() (r Registrations, ok bool)
}

// Registrations counts the message buffers that had to be registered with the network. Buffers from
// Device.Alloc are registered when they are allocated and are not counted.
type Registrations struct {
	Hits   int64 // buffers whose registration was in the cache
	Misses int64 // buffers that were registered for their message
	Pinned int64 // bytes registered now, including those of the allocator
}
