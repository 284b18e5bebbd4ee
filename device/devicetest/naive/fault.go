package naive

// Fault is a rule that a naive device breaks.
type Fault int

const (
	None          Fault = iota
	Overtaking          // a message goes before the last one of its sender
	WildcardsLast       // receives with a wildcard match only where no other does
	OneContext          // all contexts match each other
	Overrun             // a long message is written past the buffer
	ShortStatus         // a truncated message's status has the stored size
	EagerSsend          // synchronous sends complete immediately
	ProbeTakes          // Iprobe removes the message
	PeekLast            // Peek returns the last completed request
	CancelBoth          // a cancelled operation is carried out
	CancelNever         // Cancel does nothing
	StaleHandles        // a released handle names the next request
	NoArguments         // arguments are not checked
	NoClosed            // Close is not noticed by its own rank
	DeafToDeath         // the death of a peer is not noticed
	Flipped             // one bit of messages over 100 bytes is wrong
	Leaky               // a goroutine stays behind after Close
	LosesZero           // messages of no bytes are lost when nobody waits for them
	LosesAll            // all messages are lost when nobody waits for them
	NoInfo              // Info is empty
	CancelDone          // Cancel changes the status of what is complete
	Unbound             // Bind and Confine do nothing
	Starving            // a synchronous message moves only when its receive is tested
	Reused              // memory that was exported is exported again once it is freed
	Greedy              // a receive does not end while a message of another rank waits
	Uninterrupted       // Interrupt does nothing
	LateAnswers         // a sender learns of the receive after the receiver has closed: it is lost
	LoneRegion          // AllocRegion fails on the first rank alone
	Backwards           // StartAll starts the last operation first
	EndsEarly           // WaitAll ends at the first request that fails
	ClosedIsDead        // a rank that closes breaks the contexts that are bound to it
)
