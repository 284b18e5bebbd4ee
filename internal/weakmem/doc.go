// Package weakmem checks small models of lock-free protocols exhaustively under a weak memory
// model.
//
// A model is a function that declares words (shared atomic variables), data (everything else that
// is shared) and threads on a Machine. Check runs it in all interleavings and with all values that
// a load may return, and reports the first execution in which a requirement fails, two threads race
// for data, or a thread waits for ever. Verify also takes away each ordering that the model names,
// one at a time, and requires that the rest fails.
//
// # The memory
//
// The memory follows RC11 (Lahav and others, PLDI 2017) in the form of views and messages (Kang
// and others, POPL 2017), without promises. A word has a history of messages. A thread may read any
// message that is not older than the newest one it knows, and may store anywhere behind that. A
// release store carries what its thread knows, and an acquire load of it passes that on, also
// through read-modify-writes of the word. A sequentially consistent load reads nothing older than
// the last sequentially consistent store to its word, or than what a thread knew at its last
// barrier. Data is not atomic: an access that does not happen after the last conflicting one is a
// race, which covers stale and torn values, and compilers and processors that move plain accesses.
//
// Without promises, no load returns the value of a store that depends on it or comes later in every
// thread (load buffering). ARMv8 allows that for relaxed accesses only, which the code does not
// use. RC11 without relaxed accesses compiles correctly to x86, ARMv8, Power and RISC-V, so what
// holds here holds there.
//
// # Targets
//
// The functions of sync/atomic are sequentially consistent everywhere. On amd64 a release store
// (internal/release) is a plain store, and a locked instruction is a full barrier. On the other
// targets a release store is an atomic one, and no instruction counts as a barrier. Stores that
// bypass the caches of amd64 are not ordered by a release store but by SFENCE (Thread.Drain).
package weakmem
