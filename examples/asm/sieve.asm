; result: 168 997
; The sieve of Eratosthenes below 1000, one byte of memory for each number: how many primes
; there are, and the largest.
; local 0: number   local 1: multiple   local 2: count   local 3: largest

        PUSH 2
        LOCAL.SET 0
        loop $numbers
            LOCAL.GET 0
            I32.LOAD8_U                 ; 1 where a smaller prime divides it
            EQZ
            if
                LOCAL.GET 2
                PUSH 1
                ADD
                LOCAL.SET 2
                LOCAL.GET 0
                LOCAL.TEE 3
                DUP
                MUL                     ; smaller multiples are crossed out already
                LOCAL.SET 1
                block $crossed
                    loop $multiples
                        LOCAL.GET 1
                        PUSH 1000
                        GE_U
                        br_if $crossed
                        LOCAL.GET 1
                        PUSH 1
                        I32.STORE8
                        LOCAL.GET 1
                        LOCAL.GET 0
                        ADD
                        LOCAL.SET 1
                        br $multiples
                    end
                end
            end
            LOCAL.GET 0
            PUSH 1
            ADD
            LOCAL.TEE 0
            PUSH 1000
            LT_U
            br_if $numbers
        end
        LOCAL.GET 2
        LOCAL.GET 3
