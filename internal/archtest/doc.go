// Package archtest holds no code. Its tests hold the architecture and the style of the tree: which
// package may import which, where cgo may be used, how long a file may be, how comments begin, and
// that the files, commands and flags that the documentation names exist.
package archtest
