; result: 1230 65536
; A stack of our own in memory. It grows down from 65536; the word at address 0 points to its
; top. Pushes 10 to 40, replaces the top two by their product, then adds up what is there and
; shows where the pointer ends.

        PUSH 0
        PUSH 65536
        I32.STORE
        PUSH 10   CALL push
        PUSH 20   CALL push
        PUSH 30   CALL push
        PUSH 40   CALL push
        CALL pop
        CALL pop
        MUL
        CALL push
        CALL pop
        CALL pop
        ADD
        CALL pop
        ADD
        PUSH 0
        I32.LOAD
        HALT

push:                                   ; value ->
        LOCAL.SET 0
        PUSH 0
        PUSH 0
        I32.LOAD
        PUSH 4
        SUB
        LOCAL.TEE 1
        I32.STORE                       ; the pointer moves down
        LOCAL.GET 1
        LOCAL.GET 0
        I32.STORE
        RETURN

pop:                                    ; -> value
        PUSH 0
        I32.LOAD
        LOCAL.TEE 0
        I32.LOAD                        ; the value
        PUSH 0
        LOCAL.GET 0
        PUSH 4
        ADD
        I32.STORE                       ; the pointer moves up
        RETURN
