; result: 26 26
; The one bits of 0xFEEDBEEF, counted by a loop that clears the lowest one each time, and by
; the instruction.
; local 0: the bits left   local 1: count

        PUSH 0xFEEDBEEF
        LOCAL.SET 0
        loop $clear
            LOCAL.GET 0                 ; x & (x - 1) has one bit fewer
            LOCAL.GET 0
            PUSH 1
            SUB
            AND
            LOCAL.SET 0
            LOCAL.GET 1
            PUSH 1
            ADD
            LOCAL.SET 1
            LOCAL.GET 0
            br_if $clear
        end
        LOCAL.GET 1
        PUSH 0xFEEDBEEF
        POPCNT
