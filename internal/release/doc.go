// Package release provides the release store that publishes data in shared memory: a reader that
// loads the stored value atomically sees everything that was written before the store.
package release
