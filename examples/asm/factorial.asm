; result: 3628800
; 10! in a loop, with local variables.
; local 0: n, counting down   local 1: the product

        PUSH 10
        LOCAL.SET 0
        PUSH 1
        LOCAL.SET 1
        loop $multiply
            LOCAL.GET 1
            LOCAL.GET 0
            MUL
            LOCAL.SET 1
            LOCAL.GET 0
            PUSH 1
            SUB
            LOCAL.TEE 0
            br_if $multiply
        end
        LOCAL.GET 1
