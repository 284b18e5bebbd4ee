// Package release has the store that publishes data in shared memory: what was
// written before is seen by whoever sees the stored value with an atomic load.
package release
