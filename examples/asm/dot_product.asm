; result: 1
; The dot product of (3, -1, 4, 1, -5) and (2, 7, 1, 8, 2), signed bytes at 0 and halves at 16.
; local 0: index   local 1: sum

        PUSH 0   PUSH 3   I32.STORE8
        PUSH 1   PUSH -1  I32.STORE8
        PUSH 2   PUSH 4   I32.STORE8
        PUSH 3   PUSH 1   I32.STORE8
        PUSH 4   PUSH -5  I32.STORE8
        PUSH 16  PUSH 2   I32.STORE16
        PUSH 18  PUSH 7   I32.STORE16
        PUSH 20  PUSH 1   I32.STORE16
        PUSH 22  PUSH 8   I32.STORE16
        PUSH 24  PUSH 2   I32.STORE16

        loop $elements
            LOCAL.GET 0
            I32.LOAD8_S
            LOCAL.GET 0
            PUSH 1
            SHL
            PUSH 16
            ADD
            I32.LOAD16_S
            MUL
            LOCAL.GET 1
            ADD
            LOCAL.SET 1
            LOCAL.GET 0
            PUSH 1
            ADD
            LOCAL.TEE 0
            PUSH 5
            LT_U
            br_if $elements
        end
        LOCAL.GET 1
