//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

#include "textflag.h"

// ROWS is the body of all functions. FIRST and SECOND load columns of eight entries each from entry
// R9 on, PART those that are left of a row, all as 32 bits, and ASK prefetches the lines that are
// AHEAD entries ahead. PREFETCHNTA bypasses the second cache, which the vector needs, because the
// matrix is read once in a product; on some processors it takes three times as long as none.
//
// R9 is the current entry, R10 the end of its row, R14 the number of entries; Z10 and Z11 are sums;
// lanes of K7 that are 0, and of K6 that are 1, have had a column outside of the vector. Such a
// lane is not read.
#define AHEAD 128

#define ROWS \
	MOVQ         out+0(FP), DI; \
	MOVQ         start+8(FP), R8; \
	MOVQ         rows+16(FP), CX; \
	MOVQ         col+24(FP), BX; \
	MOVQ         val+32(FP), DX; \
	MOVQ         entries+40(FP), R14; \
	MOVQ         x+48(FP), SI; \
	MOVQ         cols+56(FP), AX; \
	VPBROADCASTD AX, Y15; \
	KXNORB       K7, K7, K7; \
	KXORB        K6, K6, K6; \
	MOVLQSX      (R8), R9; \
	CMPQ         R9, R14; \
	JHI          wrong; \
row: \
	MOVLQSX      4(R8), R10; \
	CMPQ         R10, R14; \
	JHI          wrong; \
	CMPQ         R9, R10; \
	JHI          wrong; \
	VPXORQ       Z10, Z10, Z10; \
	VPXORQ       Z11, Z11, Z11; \
	LEAQ         16(R9), R11; \
	CMPQ         R11, R10; \
	JHI          tail; \
block: \
	ASK; \
	FIRST; \
	SECOND; \
	VPCMPUD      $1, Y15, Y0, K1; \
	VPCMPUD      $1, Y15, Y1, K2; \
	KANDB        K1, K7, K7; \
	KANDB        K2, K7, K7; \
	VPXORQ       Z2, Z2, Z2; \
	VPXORQ       Z3, Z3, Z3; \
	VGATHERDPD   (SI)(Y0*8), K1, Z2; \
	VGATHERDPD   (SI)(Y1*8), K2, Z3; \
	VFMADD231PD  (DX)(R9*8), Z2, Z10; \
	VFMADD231PD  64(DX)(R9*8), Z3, Z11; \
	MOVQ         R11, R9; \
	ADDQ         $16, R11; \
	CMPQ         R11, R10; \
	JLS          block; \
tail: \
	CMPQ         R9, R10; \
	JCC          done; \
	MOVQ         R10, R12; \
	SUBQ         R9, R12; \
	MOVL         $-1, R13; \
	BZHIL        R12, R13, R13; \
	KMOVB        R13, K3; \
	PART; \
	VPCMPUD      $1, Y15, Y0, K3, K1; \
	KXORB        K1, K3, K4; \
	KORB         K4, K6, K6; \
	VPXORQ       Z2, Z2, Z2; \
	VGATHERDPD   (SI)(Y0*8), K1, Z2; \
	VMOVUPD.Z    (DX)(R9*8), K3, Z3; \
	VFMADD231PD  Z3, Z2, Z10; \
	ADDQ         $8, R9; \
	JMP          tail; \
done: \
	MOVQ         R10, R9; \
	VADDPD       Z11, Z10, Z10; \
	VEXTRACTF64X4 $1, Z10, Y11; \
	VADDPD       Y11, Y10, Y10; \
	VEXTRACTF128 $1, Y10, X11; \
	VADDPD       X11, X10, X10; \
	VHADDPD      X10, X10, X10; \
	VMOVSD       X10, (DI); \
	ADDQ         $8, DI; \
	ADDQ         $4, R8; \
	DECQ         CX; \
	JNE          row; \
	VZEROUPPER; \
	KMOVB        K7, AX; \
	KMOVB        K6, BX; \
	XORL         $0xff, AX; \
	ORL          BX, AX; \
	SETEQ        ret+64(FP); \
	RET; \
wrong: \
	VZEROUPPER; \
	MOVB         $0, ret+64(FP); \
	RET;

// ASKS prefetches with an instruction, for columns of some bytes.
#define ASKS(PREFETCH, BYTES) \
	PREFETCH (8*AHEAD)(DX)(R9*8); \
	PREFETCH (8*AHEAD+64)(DX)(R9*8); \
	PREFETCH (BYTES*AHEAD)(BX)(R9*BYTES)

#define FIRST VMOVDQU (BX)(R9*4), Y0
#define SECOND VMOVDQU 32(BX)(R9*4), Y1
#define PART VMOVDQU32.Z (BX)(R9*4), K3, Y0

#define ASK ASKS(PREFETCHNTA, 4)
TEXT ·rows32NTA(SB), NOSPLIT, $0-65
	ROWS

#undef ASK
#define ASK ASKS(PREFETCHT0, 4)
TEXT ·rows32T0(SB), NOSPLIT, $0-65
	ROWS

#undef FIRST
#undef SECOND
#undef PART
#define FIRST VPMOVZXWD (BX)(R9*2), Y0
#define SECOND VPMOVZXWD 16(BX)(R9*2), Y1
#define PART VPMOVZXWD.Z (BX)(R9*2), K3, Y0

#undef ASK
#define ASK ASKS(PREFETCHNTA, 2)
TEXT ·rows16NTA(SB), NOSPLIT, $0-65
	ROWS

#undef ASK
#define ASK ASKS(PREFETCHT0, 2)
TEXT ·rows16T0(SB), NOSPLIT, $0-65
	ROWS
