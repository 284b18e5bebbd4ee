// Package all registers all applications of gobench.
package all

import (
	_ "gobench/kernels/fdtd"
	_ "gobench/kernels/npb/all"
)
