//go:build amd64 && !race

#include "textflag.h"

// func Store(p *uint64, v uint64)
TEXT ·Store(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ v+8(FP), BX
	MOVQ BX, (AX)
	RET

// func StoreNext(p *uint64, v uint64, next unsafe.Pointer)
TEXT ·StoreNext(SB), NOSPLIT, $0-24
	MOVQ p+0(FP), AX
	MOVQ v+8(FP), BX
	MOVQ next+16(FP), CX
	MOVQ BX, (AX)
	BYTE $0x0F; BYTE $0x0D; BYTE $0x09 // PREFETCHW (CX), which the assembler does not know
	RET
