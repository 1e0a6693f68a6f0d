; result: 9 1000 65535
; Integer square roots of 99, 1000000 and 4294967295, bit by bit from the top.

        PUSH 99
        CALL isqrt
        PUSH 1000000
        CALL isqrt
        PUSH 4294967295
        CALL isqrt
        HALT

; local 0: n   local 1: root so far   local 2: bit under trial
isqrt:                                  ; n -> floor of its root
        LOCAL.SET 0
        PUSH 0x8000
        LOCAL.SET 2
        loop $bits
            LOCAL.GET 1
            LOCAL.GET 2
            OR
            DUP
            MUL                         ; below 2^32, because the root has 16 bits
            LOCAL.GET 0
            LE_U
            if
                LOCAL.GET 1
                LOCAL.GET 2
                OR
                LOCAL.SET 1
            end
            LOCAL.GET 2
            PUSH 1
            SHR_U
            LOCAL.TEE 2
            br_if $bits
        end
        LOCAL.GET 1
        RETURN
