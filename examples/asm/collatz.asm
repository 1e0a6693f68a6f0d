; result: 111 9232
; How many Collatz steps lead from 27 to 1, and the highest number on the way.
; local 0: n   local 1: steps   local 2: highest

        PUSH 27
        LOCAL.TEE 0
        LOCAL.SET 2
        block $one
            loop $step
                LOCAL.GET 0
                PUSH 1
                EQ
                br_if $one
                LOCAL.GET 0
                PUSH 1
                AND
                if                      ; odd: 3n + 1
                    LOCAL.GET 0
                    PUSH 3
                    MUL
                    PUSH 1
                    ADD
                else                    ; even: n / 2
                    LOCAL.GET 0
                    PUSH 1
                    SHR_U
                end
                LOCAL.TEE 0
                LOCAL.GET 2
                GT_U
                if
                    LOCAL.GET 0
                    LOCAL.SET 2
                end
                LOCAL.GET 1
                PUSH 1
                ADD
                LOCAL.SET 1
                br $step
            end
        end
        LOCAL.GET 1
        LOCAL.GET 2
