; result: 723471715 -1797600390 2064144800
; Three numbers of Marsaglia's 32-bit xorshift generator, from the seed 2463534242. Each stays
; on the stack and the next begins from it.

        PUSH 2463534242
        CALL next
        DUP
        CALL next
        DUP
        CALL next
        HALT

next:                                   ; x -> the number after it
        DUP  PUSH 13  SHL    XOR
        DUP  PUSH 17  SHR_U  XOR
        DUP  PUSH 5   SHL    XOR
        RETURN
