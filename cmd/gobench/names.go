package main

import (
	"gobench/device"
	"gobench/kernels/npb/all"
	"gobench/micro"
	"gobench/micro/collective"
)

// benchName returns the name in records of a benchmark, operation or kernel that the user names by
// any of its names, in either case; other names as they are.
func benchName(typed string) string {
	if b, err := micro.Lookup(typed); err == nil {
		return b.Name
	}
	if kind, uneven, ok := collective.Lookup(typed); ok {
		if uneven {
			return kind.String() + "v"
		}
		return kind.String()
	}
	if k, err := all.Lookup(typed); err == nil {
		return k.Name
	}
	return typed
}

// transportName is benchName for transports.
func transportName(typed string) string {
	if d, err := device.Lookup(typed); err == nil {
		return d.Name()
	}
	return typed
}
