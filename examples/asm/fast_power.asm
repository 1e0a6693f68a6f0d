; result: 1977326743 -808182895
; 7^11 and 3^20 modulo 2^32, squaring once for each bit of the exponent.

        PUSH 7
        PUSH 11
        CALL power
        PUSH 3
        PUSH 20
        CALL power
        HALT

; local 0: exponent left   local 1: base squared so far   local 2: product
power:                                  ; base exponent -> base^exponent
        LOCAL.SET 0
        LOCAL.SET 1
        PUSH 1
        LOCAL.SET 2
        block $done
            loop $bit
                LOCAL.GET 0
                EQZ
                br_if $done
                LOCAL.GET 0
                PUSH 1
                AND
                if
                    LOCAL.GET 2
                    LOCAL.GET 1
                    MUL
                    LOCAL.SET 2
                end
                LOCAL.GET 1
                DUP
                MUL
                LOCAL.SET 1
                LOCAL.GET 0
                PUSH 1
                SHR_U
                LOCAL.SET 0
                br $bit
            end
        end
        LOCAL.GET 2
        RETURN
