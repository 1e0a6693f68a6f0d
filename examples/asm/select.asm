; result: -3 12 12 -3 5
; Without branches: smaller and larger of -3 and 12, signed and unsigned (where -3 is a large
; number), and the distance of 7 and 12. SELECT takes the second operand where the condition is
; not zero.

        PUSH -3  PUSH 12  CALL min_s
        PUSH -3  PUSH 12  CALL max_s
        PUSH -3  PUSH 12  CALL min_u
        PUSH -3  PUSH 12  CALL max_u
        PUSH 7   PUSH 12  SUB  ABS
        HALT

min_s:                                  ; a b -> a b b<a -> the smaller
        OVER  OVER  GT_S  SELECT  RETURN
max_s:
        OVER  OVER  LT_S  SELECT  RETURN
min_u:
        OVER  OVER  GT_U  SELECT  RETURN
max_u:
        OVER  OVER  LT_U  SELECT  RETURN
