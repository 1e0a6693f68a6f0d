; result: 1048576
; Two to the 20th by doubling 20 times.

        PUSH 1          ; power
        PUSH 20         ; doublings left
double:                 ; power n
        SWAP
        DUP
        ADD
        SWAP
        PUSH 1
        SUB
        DUP
        JNZ double
        POP
        HALT
