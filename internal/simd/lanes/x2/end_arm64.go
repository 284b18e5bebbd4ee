//go:build goexperiment.simd && go1.27 && !go1.28

package lanes

func end() {}
