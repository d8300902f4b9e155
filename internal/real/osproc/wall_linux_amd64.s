#include "textflag.h"

// What a process executes in the place of the kernel's functions in its vDSO: see
// wall_linux_amd64.go, which copies each function to a page and has it jumped to.
//
// They run where C functions do, in any thread and in a fork of it, and so use
// nothing but the registers that such a function may change (R8 to R11, AX, CX, DX,
// SI, DI), the red zone below the stack, and the page that they are on, which the
// jump has left in R11. Names of the page's words: the setting that counts is that of
// the number's lowest bit, and the number grows with each change.
#define NUMBER 2048
#define OFFSET 2112 // nanoseconds, of setting 0; setting 1 is 64 bytes further
#define SINCE  2120 // nanoseconds since 1970, from when the rate counts
#define PPM    2128 // by how many millionths the clock runs faster than the host's

#define SYS_GETTIMEOFDAY 96
#define SYS_CLOCK_GETTIME 228

// WRONG makes of the host's time in R9 what the clock shows, in AX: both in
// nanoseconds since 1970. The page is at R8. A setting that was changed while it was
// read is read again. It changes CX, DX, R10 and R11.
#define WRONG \
again: \
	MOVQ  NUMBER(R8), R10 \
	MOVQ  R10, CX \
	ANDQ  $1, CX \
	SHLQ  $6, CX \
	ADDQ  R8, CX \
	MOVQ  OFFSET(CX), R11 \
	MOVQ  R9, AX \
	SUBQ  SINCE(CX), AX \
	IMULQ PPM(CX) \
	CMPQ  R10, NUMBER(R8) \
	JNE   again \
	MOVQ  $1000000, CX \
	IDIVQ CX \
	ADDQ  R11, AX \
	ADDQ  R9, AX

// SECONDS divides nanoseconds in AX: seconds in AX, the rest in DX.
#define SECONDS \
	MOVQ  $1000000000, CX \
	CQO \
	IDIVQ CX

// func wrongClockGettime(clock int32, ts *timespec) int32, as C calls it
TEXT ·wrongClockGettime(SB), NOSPLIT|NOFRAME, $0
	MOVQ R11, R8
	ANDQ $~4095, R8
	MOVL $SYS_CLOCK_GETTIME, AX
	SYSCALL
	TESTQ AX, AX
	JNE  done
	TESTL DI, DI             // CLOCK_REALTIME
	JEQ  wall
	CMPL DI, $5              // CLOCK_REALTIME_COARSE
	JNE  done
wall:
	MOVQ  0(SI), R9
	IMULQ $1000000000, R9
	ADDQ  8(SI), R9
	WRONG
	SECONDS
	MOVQ AX, 0(SI)
	MOVQ DX, 8(SI)
	XORL AX, AX
done:
	RET

// func wrongGettimeofday(tv *timeval, tz *timezone) int32, as C calls it
TEXT ·wrongGettimeofday(SB), NOSPLIT|NOFRAME, $0
	MOVQ R11, R8
	ANDQ $~4095, R8
	MOVL $SYS_GETTIMEOFDAY, AX
	SYSCALL
	TESTQ AX, AX
	JNE  done
	TESTQ DI, DI
	JEQ  done
	MOVQ  0(DI), R9
	IMULQ $1000000, R9
	ADDQ  8(DI), R9
	IMULQ $1000, R9
	WRONG
	SECONDS
	MOVQ AX, 0(DI)
	MOVQ DX, AX
	XORL DX, DX
	MOVQ $1000, CX
	DIVQ CX
	MOVQ AX, 8(DI)
	XORL AX, AX
done:
	RET

// func wrongTime(t *int64) int64, as C calls it
TEXT ·wrongTime(SB), NOSPLIT|NOFRAME, $0
	MOVQ R11, R8
	ANDQ $~4095, R8
	MOVQ DI, -24(SP)
	XORL DI, DI              // CLOCK_REALTIME
	LEAQ -16(SP), SI
	MOVL $SYS_CLOCK_GETTIME, AX
	SYSCALL
	MOVQ  -16(SP), R9
	IMULQ $1000000000, R9
	ADDQ  -8(SP), R9
	WRONG
	SECONDS
	MOVQ -24(SP), DI
	TESTQ DI, DI
	JEQ  done
	MOVQ AX, 0(DI)
done:
	RET

// func wrongFunctions() (clockGettime, gettimeofday, time unsafe.Pointer)
TEXT ·wrongFunctions(SB), NOSPLIT, $0-24
	LEAQ ·wrongClockGettime(SB), AX
	MOVQ AX, clockGettime+0(FP)
	LEAQ ·wrongGettimeofday(SB), AX
	MOVQ AX, gettimeofday+8(FP)
	LEAQ ·wrongTime(SB), AX
	MOVQ AX, time+16(FP)
	RET
