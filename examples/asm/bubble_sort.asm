; result: -7 0 1 3 3 8 42 99
; Bubble sort of eight signed words in memory.
; local 0: length of the unsorted part   local 1: address of a pair

        PUSH 0   PUSH 42   I32.STORE
        PUSH 4   PUSH 3    I32.STORE
        PUSH 8   PUSH -7   I32.STORE
        PUSH 12  PUSH 99   I32.STORE
        PUSH 16  PUSH 0    I32.STORE
        PUSH 20  PUSH 8    I32.STORE
        PUSH 24  PUSH 3    I32.STORE
        PUSH 28  PUSH 1    I32.STORE

        PUSH 28                         ; the last pair begins below address 28
        LOCAL.SET 0
        loop $pass
            PUSH 0
            LOCAL.SET 1
            loop $pair
                LOCAL.GET 1
                I32.LOAD
                LOCAL.GET 1
                PUSH 4
                ADD
                I32.LOAD
                GT_S
                if
                    LOCAL.GET 1
                    CALL exchange
                end
                LOCAL.GET 1
                PUSH 4
                ADD
                LOCAL.TEE 1
                LOCAL.GET 0
                LT_U
                br_if $pair
            end
            LOCAL.GET 0
            PUSH 4
            SUB
            LOCAL.TEE 0
            br_if $pass
        end

        PUSH 0   I32.LOAD
        PUSH 4   I32.LOAD
        PUSH 8   I32.LOAD
        PUSH 12  I32.LOAD
        PUSH 16  I32.LOAD
        PUSH 20  I32.LOAD
        PUSH 24  I32.LOAD
        PUSH 28  I32.LOAD
        HALT

exchange:                               ; address -> ; swaps the word there and the next
        LOCAL.TEE 0
        I32.LOAD                        ; first
        LOCAL.GET 0
        LOCAL.GET 0
        PUSH 4
        ADD
        I32.LOAD
        I32.STORE                       ; second goes to the first place
        LOCAL.SET 1
        LOCAL.GET 0
        PUSH 4
        ADD
        LOCAL.GET 1
        I32.STORE
        RETURN
