// Package house holds no code. Its tests hold the rules of the house: who may
// import whom, where cgo may live, and how long a file may grow.
package house
