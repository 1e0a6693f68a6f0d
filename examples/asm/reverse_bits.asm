; result: 510274632 305419896
; The bits of 0x12345678 in reverse order, and reversed back: swap neighbours, pairs, nibbles,
; bytes, then halves.

        PUSH 0x12345678
        CALL reverse
        DUP
        CALL reverse
        HALT

reverse:                                ; x -> x with its bits in reverse order
        PUSH 1  PUSH 0x55555555  CALL exchange
        PUSH 2  PUSH 0x33333333  CALL exchange
        PUSH 4  PUSH 0x0F0F0F0F  CALL exchange
        PUSH 8  PUSH 0x00FF00FF  CALL exchange
        PUSH 16
        ROTL
        RETURN

; local 0: mask   local 1: distance   local 2: x
exchange:                               ; x n mask -> ((x >> n) & mask) | ((x & mask) << n)
        LOCAL.SET 0
        LOCAL.SET 1
        LOCAL.TEE 2
        LOCAL.GET 1
        SHR_U
        LOCAL.GET 0
        AND
        LOCAL.GET 2
        LOCAL.GET 0
        AND
        LOCAL.GET 1
        SHL
        OR
        RETURN
