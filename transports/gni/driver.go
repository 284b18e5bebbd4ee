package gni

import (
	"gobench/device"
	"gobench/device/protocol"
	"gobench/transports/native"
)

const name = "gni"

var driver = &native.WireDriver{Driver: native.Driver{
	Transport: name,
	Summary:   "uGNI of Cray's Gemini and Aries networks",
	Library:   "uGNI", Needs: "gcc",
	Declared: append(declared(), protocol.Options()...),
}}

func init() { device.Register(driver) }
