; result: 479001600
; 12! by recursion. The argument and the result travel on the operand stack, which caller and
; callee share; locals are fresh in every call.

        PUSH 12
        CALL factorial
        HALT

factorial:              ; n -> n!
        LOCAL.TEE 0
        if
            LOCAL.GET 0
            LOCAL.GET 0
            PUSH 1
            SUB
            CALL factorial
            MUL
        else
            PUSH 1      ; 0! is 1
        end
        RETURN
