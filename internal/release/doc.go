// Package release provides what ranks in shared memory do with cache lines: the release store that
// publishes data, so that a reader that loads the stored value atomically sees everything that was
// written before the store; the wait for such a store; and prefetches.
package release
