; result: 19 22 43 50
; The product of the matrices ((1 2) (3 4)) and ((5 6) (7 8)), stored by rows at 0 and at 16.

        PUSH 0   PUSH 1  I32.STORE
        PUSH 4   PUSH 2  I32.STORE
        PUSH 8   PUSH 3  I32.STORE
        PUSH 12  PUSH 4  I32.STORE
        PUSH 16  PUSH 5  I32.STORE
        PUSH 20  PUSH 6  I32.STORE
        PUSH 24  PUSH 7  I32.STORE
        PUSH 28  PUSH 8  I32.STORE

        PUSH 0   PUSH 16  CALL element  ; row and column begin at these addresses
        PUSH 0   PUSH 20  CALL element
        PUSH 8   PUSH 16  CALL element
        PUSH 8   PUSH 20  CALL element
        HALT

; local 0: address in the row   local 1: address in the column
element:                                ; row column -> their product
        LOCAL.SET 1
        LOCAL.SET 0
        LOCAL.GET 0
        I32.LOAD
        LOCAL.GET 1
        I32.LOAD
        MUL
        LOCAL.GET 0
        PUSH 4
        ADD
        I32.LOAD
        LOCAL.GET 1
        PUSH 8
        ADD
        I32.LOAD
        MUL
        ADD
        RETURN
