; result: 55
; The sum of 1 to 10, with labels and the operand stack alone.

        PUSH 0          ; sum
        PUSH 10         ; n
next:                   ; sum n
        SWAP
        OVER            ; n sum n
        ADD
        SWAP            ; sum+n n
        PUSH 1
        SUB
        DUP
        JNZ next
        POP             ; n is zero: leave the sum
        HALT
