// Package pmi calls Cray's libpmi, by which processes started by aprun exchange data. It is opened
// when the program runs (package native); builds without cgo, or without the tag pmix, have no
// client. Source: intro_pmi and PMI_Allgather in the manual pages of the HPE Cray Programming
// Environment.
//
// It has never been run on a Cray: tests use an emulator of the functions.
package pmi

// Install is the remedy where libpmi is missing.
const Install = "module load cray-pmi, or add the directory of libpmi.so.0 to LD_LIBRARY_PATH"
