;; Vector instructions on one word of 64 bits, for lanes of one width. This is a template: vector_library.py
;; replaces the words in capitals (SHAPE and the constants) for each of three widths.
;;
;; HIGHS has the high bit of every lane, LOWS all other bits, ONES the lowest bit; LANE is a lane of
;; ones at the bottom, TOP the number of a lane's high bit.

  ;; The sum without carries out of the lanes: add all but the high bits, then those without carry.
  (func $SHAPE.add (export "SHAPE.add") (param $a i64) (param $b i64) (result i64)
    (i64.xor
      (i64.add
        (i64.and (local.get $a) (i64.const LOWS))
        (i64.and (local.get $b) (i64.const LOWS)))
      (i64.and (i64.xor (local.get $a) (local.get $b)) (i64.const HIGHS))))

  ;; The same for borrows: every lane borrows from a high bit that is set for it.
  (func $SHAPE.sub (export "SHAPE.sub") (param $a i64) (param $b i64) (result i64)
    (i64.xor
      (i64.sub
        (i64.or (local.get $a) (i64.const HIGHS))
        (i64.and (local.get $b) (i64.const LOWS)))
      (i64.and
        (i64.xor (i64.xor (local.get $a) (local.get $b)) (i64.const -1))
        (i64.const HIGHS))))

  (func (export "SHAPE.neg") (param $a i64) (result i64)
    (call $SHAPE.sub (i64.const 0) (local.get $a)))

  ;; All ones in the lanes whose high bit is set, zero in the others.
  (func $SHAPE.spread (param $a i64) (result i64)
    (i64.mul
      (i64.and (i64.shr_u (local.get $a) (i64.const TOP)) (i64.const ONES))
      (i64.const LANE)))

  (func (export "SHAPE.abs") (param $a i64) (result i64) (local $sign i64)
    (local.set $sign (call $SHAPE.spread (local.get $a)))
    (call $SHAPE.sub (i64.xor (local.get $a) (local.get $sign)) (local.get $sign)))

  ;; High bits of the lanes that are not zero; the other bits mean nothing.
  (func $SHAPE.nonzero (param $a i64) (result i64)
    (i64.or
      (i64.add (i64.and (local.get $a) (i64.const LOWS)) (i64.const LOWS))
      (local.get $a)))

  (func (export "SHAPE.all_true") (param $a i64) (result i32)
    (i64.eq
      (i64.and (call $SHAPE.nonzero (local.get $a)) (i64.const HIGHS))
      (i64.const HIGHS)))

  ;; GATHER moves the high bit of lane i to bit SHIFT + i; no two products meet below.
  (func (export "SHAPE.bitmask") (param $a i64) (result i32)
    (i32.wrap_i64
      (i64.and
        (i64.shr_u
          (i64.mul
            (i64.and (i64.shr_u (local.get $a) (i64.const TOP)) (i64.const ONES))
            (i64.const GATHER))
          (i64.const SHIFT))
        (i64.const MASK))))

  (func $SHAPE.ne (export "SHAPE.ne") (param $a i64) (param $b i64) (result i64)
    (call $SHAPE.spread (call $SHAPE.nonzero (i64.xor (local.get $a) (local.get $b)))))

  (func (export "SHAPE.eq") (param $a i64) (param $b i64) (result i64)
    (i64.xor (call $SHAPE.ne (local.get $a) (local.get $b)) (i64.const -1)))

  ;; The high bit of a lane's borrow: b has it and a has not, or they agree and the difference has it.
  (func $SHAPE.lt_u (export "SHAPE.lt_u") (param $a i64) (param $b i64) (result i64)
    (local $differ i64)
    (local.set $differ (i64.xor (local.get $a) (local.get $b)))
    (call $SHAPE.spread
      (i64.or
        (i64.and (local.get $differ) (local.get $b))
        (i64.and
          (i64.xor (local.get $differ) (i64.const -1))
          (call $SHAPE.sub (local.get $a) (local.get $b))))))

  (func $SHAPE.gt_u (export "SHAPE.gt_u") (param $a i64) (param $b i64) (result i64)
    (call $SHAPE.lt_u (local.get $b) (local.get $a)))

  (func (export "SHAPE.le_u") (param $a i64) (param $b i64) (result i64)
    (i64.xor (call $SHAPE.lt_u (local.get $b) (local.get $a)) (i64.const -1)))

  (func $SHAPE.ge_u (export "SHAPE.ge_u") (param $a i64) (param $b i64) (result i64)
    (i64.xor (call $SHAPE.lt_u (local.get $a) (local.get $b)) (i64.const -1)))

  ;; Signed order is unsigned order with the high bits flipped.
  (func $SHAPE.lt_s (export "SHAPE.lt_s") (param $a i64) (param $b i64) (result i64)
    (call $SHAPE.lt_u
      (i64.xor (local.get $a) (i64.const HIGHS))
      (i64.xor (local.get $b) (i64.const HIGHS))))

  (func (export "SHAPE.gt_s") (param $a i64) (param $b i64) (result i64)
    (call $SHAPE.lt_s (local.get $b) (local.get $a)))

  (func (export "SHAPE.le_s") (param $a i64) (param $b i64) (result i64)
    (i64.xor (call $SHAPE.lt_s (local.get $b) (local.get $a)) (i64.const -1)))

  (func (export "SHAPE.ge_s") (param $a i64) (param $b i64) (result i64)
    (i64.xor (call $SHAPE.lt_s (local.get $a) (local.get $b)) (i64.const -1)))

  (func (export "SHAPE.min_u") (param $a i64) (param $b i64) (result i64)
    (call $bitselect
      (local.get $a) (local.get $b) (call $SHAPE.lt_u (local.get $a) (local.get $b))))

  (func (export "SHAPE.max_u") (param $a i64) (param $b i64) (result i64)
    (call $bitselect
      (local.get $b) (local.get $a) (call $SHAPE.lt_u (local.get $a) (local.get $b))))

  (func $SHAPE.min_s (export "SHAPE.min_s") (param $a i64) (param $b i64) (result i64)
    (call $bitselect
      (local.get $a) (local.get $b) (call $SHAPE.lt_s (local.get $a) (local.get $b))))

  (func $SHAPE.max_s (export "SHAPE.max_s") (param $a i64) (param $b i64) (result i64)
    (call $bitselect
      (local.get $b) (local.get $a) (call $SHAPE.lt_s (local.get $a) (local.get $b))))

  ;; Shifts move bits into the next lane; a mask removes them.
  (func (export "SHAPE.shl") (param $a i64) (param $count i64) (result i64)
    (local.set $count (i64.and (local.get $count) (i64.const TOP)))
    (i64.and
      (i64.shl (local.get $a) (local.get $count))
      (i64.mul
        (i64.and (i64.shl (i64.const LANE) (local.get $count)) (i64.const LANE))
        (i64.const ONES))))

  (func (export "SHAPE.shr_u") (param $a i64) (param $count i64) (result i64)
    (local.set $count (i64.and (local.get $count) (i64.const TOP)))
    (i64.and
      (i64.shr_u (local.get $a) (local.get $count))
      (i64.mul (i64.shr_u (i64.const LANE) (local.get $count)) (i64.const ONES))))

  (func (export "SHAPE.shr_s") (param $a i64) (param $count i64) (result i64) (local $rest i64)
    (local.set $count (i64.and (local.get $count) (i64.const TOP)))
    (local.set $rest
      (i64.mul (i64.shr_u (i64.const LANE) (local.get $count)) (i64.const ONES)))
    (call $bitselect
      (i64.shr_u (local.get $a) (local.get $count))
      (call $SHAPE.spread (local.get $a))
      (local.get $rest)))

  ;; A sum below its first term has a carry.
  (func (export "SHAPE.add_sat_u") (param $a i64) (param $b i64) (result i64) (local $sum i64)
    (local.set $sum (call $SHAPE.add (local.get $a) (local.get $b)))
    (i64.or (local.get $sum) (call $SHAPE.lt_u (local.get $sum) (local.get $a))))

  (func (export "SHAPE.sub_sat_u") (param $a i64) (param $b i64) (result i64)
    (i64.and
      (call $SHAPE.sub (local.get $a) (local.get $b))
      (call $SHAPE.ge_u (local.get $a) (local.get $b))))

  ;; The result, or the limit with the sign of a in the lanes where the high bit of $over is set.
  (func $SHAPE.saturate (param $a i64) (param $result i64) (param $over i64) (result i64)
    (call $bitselect
      (i64.xor (call $SHAPE.spread (local.get $a)) (i64.const LOWS))
      (local.get $result)
      (call $SHAPE.spread (local.get $over))))

  ;; Terms of one sign whose sum has the other.
  (func (export "SHAPE.add_sat_s") (param $a i64) (param $b i64) (result i64) (local $sum i64)
    (local.set $sum (call $SHAPE.add (local.get $a) (local.get $b)))
    (call $SHAPE.saturate (local.get $a) (local.get $sum)
      (i64.and
        (i64.xor (i64.xor (local.get $a) (local.get $b)) (i64.const -1))
        (i64.xor (local.get $a) (local.get $sum)))))

  (func (export "SHAPE.sub_sat_s") (param $a i64) (param $b i64) (result i64) (local $rest i64)
    (local.set $rest (call $SHAPE.sub (local.get $a) (local.get $b)))
    (call $SHAPE.saturate (local.get $a) (local.get $rest)
      (i64.and
        (i64.xor (local.get $a) (local.get $b))
        (i64.xor (local.get $a) (local.get $rest)))))

  ;; a + b = 2 (a | b) - (a ^ b), so half of it, rounded up, is (a | b) - (a ^ b) / 2.
  (func (export "SHAPE.avgr_u") (param $a i64) (param $b i64) (result i64)
    (i64.sub
      (i64.or (local.get $a) (local.get $b))
      (i64.and
        (i64.shr_u (i64.xor (local.get $a) (local.get $b)) (i64.const 1))
        (i64.const LOWS))))
