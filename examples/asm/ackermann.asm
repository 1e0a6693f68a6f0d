; result: 9
; Ackermann's function of 2 and 3: calls that wait for the result of calls.

        PUSH 2
        PUSH 3
        CALL ackermann
        HALT

; local 0: m   local 1: n
ackermann:                              ; m n -> A(m, n)
        LOCAL.SET 1
        LOCAL.TEE 0
        JNZ positive
        LOCAL.GET 1                     ; A(0, n) = n + 1
        PUSH 1
        ADD
        RETURN
positive:
        LOCAL.GET 0
        PUSH 1
        SUB                             ; the outer m, below the inner result
        LOCAL.GET 1
        if
            LOCAL.GET 0                 ; A(m, n) = A(m-1, A(m, n-1))
            LOCAL.GET 1
            PUSH 1
            SUB
            CALL ackermann
        else
            PUSH 1                      ; A(m, 0) = A(m-1, 1)
        end
        CALL ackermann
        RETURN
