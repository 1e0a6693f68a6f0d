; result: 63
; How many moves six discs need in the Towers of Hanoi, counted in memory at address 0 while
; the recursion makes them.

        PUSH 6
        CALL hanoi
        PUSH 0
        I32.LOAD
        HALT

hanoi:                                  ; discs ->
        LOCAL.TEE 0
        JZ done
        LOCAL.GET 0                     ; the smaller tower out of the way
        PUSH 1
        SUB
        CALL hanoi
        PUSH 0                          ; one move
        PUSH 0
        I32.LOAD
        PUSH 1
        ADD
        I32.STORE
        LOCAL.GET 0                     ; and the smaller tower back on top
        PUSH 1
        SUB
        CALL hanoi
done:
        RETURN
