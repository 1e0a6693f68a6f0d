; result: 25
; How many primes are below 100, by trial division.
; local 0: candidate   local 1: divisor   local 2: count

        PUSH 2
        LOCAL.SET 0
        loop $candidates
            block $composite
                PUSH 2
                LOCAL.SET 1
                loop $divisors
                    LOCAL.GET 1         ; a divisor above the root: prime
                    LOCAL.GET 1
                    MUL
                    LOCAL.GET 0
                    LE_U
                    if
                        LOCAL.GET 0
                        LOCAL.GET 1
                        REM_U
                        EQZ
                        br_if $composite
                        LOCAL.GET 1
                        PUSH 1
                        ADD
                        LOCAL.SET 1
                        br $divisors
                    end
                end
                LOCAL.GET 2
                PUSH 1
                ADD
                LOCAL.SET 2
            end
            LOCAL.GET 0
            PUSH 1
            ADD
            LOCAL.TEE 0
            PUSH 100
            LT_U
            br_if $candidates
        end
        LOCAL.GET 2
