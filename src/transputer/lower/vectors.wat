;; Vector instructions on one word of 64 bits that are not alike for all widths of lanes. This is a part
;; of a module; vector_library.py adds the routines of lanes.wat and those of single floats.

  ;; Bits of a where c has ones, else of b.
  (func $bitselect (export "v128.bitselect") (param $a i64) (param $b i64) (param $c i64) (result i64)
    (i64.xor
      (local.get $b)
      (i64.and (i64.xor (local.get $a) (local.get $b)) (local.get $c))))

  (func (export "select") (param $a i64) (param $high i64) (param $b i64) (param $b_high i64)
    (param $c i32) (result i64 i64)
    (select (local.get $a) (local.get $b) (local.get $c))
    (select (local.get $high) (local.get $b_high) (local.get $c)))

  ;; Widening: the four lower bytes, or the two lower halfwords, in lanes of twice the width.
  (func $extend8_u (export "extend8_u") (param $a i64) (result i64)
    (local.set $a (i64.and (local.get $a) (i64.const 0xffffffff)))
    (local.set $a
      (i64.and
        (i64.or (local.get $a) (i64.shl (local.get $a) (i64.const 16)))
        (i64.const 0x0000ffff0000ffff)))
    (i64.and
      (i64.or (local.get $a) (i64.shl (local.get $a) (i64.const 8)))
      (i64.const 0x00ff00ff00ff00ff)))

  (func $extend16_u (export "extend16_u") (param $a i64) (result i64)
    (i64.and
      (i64.or
        (i64.and (local.get $a) (i64.const 0xffff))
        (i64.shl (local.get $a) (i64.const 16)))
      (i64.const 0x0000ffff0000ffff)))

  ;; Ones above a sign bit of the lower half of a lane: the bit times a run of ones.
  (func $sign8 (param $a i64) (result i64)
    (i64.or (local.get $a)
      (i64.mul (i64.and (local.get $a) (i64.const 0x0080008000800080)) (i64.const 0x1fe))))

  (func $sign16 (param $a i64) (result i64)
    (i64.or (local.get $a)
      (i64.mul (i64.and (local.get $a) (i64.const 0x0000800000008000)) (i64.const 0x1fffe))))

  (func (export "extend8_s") (param $a i64) (result i64)
    (call $sign8 (call $extend8_u (local.get $a))))

  (func (export "extend16_s") (param $a i64) (result i64)
    (call $sign16 (call $extend16_u (local.get $a))))

  (func $even8 (param $a i64) (result i64)
    (call $sign8 (i64.and (local.get $a) (i64.const 0x00ff00ff00ff00ff))))

  (func $odd8 (param $a i64) (result i64)
    (call $even8 (i64.shr_u (local.get $a) (i64.const 8))))

  (func $even16 (param $a i64) (result i64)
    (call $sign16 (i64.and (local.get $a) (i64.const 0x0000ffff0000ffff))))

  (func $odd16 (param $a i64) (result i64)
    (call $even16 (i64.shr_u (local.get $a) (i64.const 16))))

  (func (export "i16x8.extadd_pairwise_i8x16_s") (param $a i64) (result i64)
    (call $i16x8.add (call $even8 (local.get $a)) (call $odd8 (local.get $a))))

  (func (export "i16x8.extadd_pairwise_i8x16_u") (param $a i64) (result i64)
    (i64.add
      (i64.and (local.get $a) (i64.const 0x00ff00ff00ff00ff))
      (i64.and (i64.shr_u (local.get $a) (i64.const 8)) (i64.const 0x00ff00ff00ff00ff))))

  (func $extadd16 (export "i32x4.extadd_pairwise_i16x8_s") (param $a i64) (result i64)
    (call $i32x4.add (call $even16 (local.get $a)) (call $odd16 (local.get $a))))

  (func (export "i32x4.extadd_pairwise_i16x8_u") (param $a i64) (result i64)
    (i64.add
      (i64.and (local.get $a) (i64.const 0x0000ffff0000ffff))
      (i64.and (i64.shr_u (local.get $a) (i64.const 16)) (i64.const 0x0000ffff0000ffff))))

  ;; Narrowing: two words, their lanes within the limits, become one.
  (func $pack8 (param $a i64) (result i64)
    (local.set $a (i64.and (local.get $a) (i64.const 0x00ff00ff00ff00ff)))
    (local.set $a
      (i64.and
        (i64.or (local.get $a) (i64.shr_u (local.get $a) (i64.const 8)))
        (i64.const 0x0000ffff0000ffff)))
    (i64.and
      (i64.or (local.get $a) (i64.shr_u (local.get $a) (i64.const 16)))
      (i64.const 0xffffffff)))

  (func $pack16 (param $a i64) (result i64)
    (i64.or
      (i64.and (local.get $a) (i64.const 0xffff))
      (i64.and (i64.shr_u (local.get $a) (i64.const 16)) (i64.const 0xffff0000))))

  (func $limit8 (param $a i64) (param $least i64) (param $most i64) (result i64)
    (call $pack8
      (call $i16x8.max_s
        (call $i16x8.min_s (local.get $a) (local.get $most))
        (local.get $least))))

  (func $limit16 (param $a i64) (param $least i64) (param $most i64) (result i64)
    (call $pack16
      (call $i32x4.max_s
        (call $i32x4.min_s (local.get $a) (local.get $most))
        (local.get $least))))

  (func (export "i8x16.narrow_i16x8_s") (param $a i64) (param $b i64) (result i64)
    (i64.or
      (call $limit8 (local.get $a)
        (i64.const 0xff80ff80ff80ff80) (i64.const 0x007f007f007f007f))
      (i64.shl
        (call $limit8 (local.get $b)
          (i64.const 0xff80ff80ff80ff80) (i64.const 0x007f007f007f007f))
        (i64.const 32))))

  (func (export "i8x16.narrow_i16x8_u") (param $a i64) (param $b i64) (result i64)
    (i64.or
      (call $limit8 (local.get $a) (i64.const 0) (i64.const 0x00ff00ff00ff00ff))
      (i64.shl
        (call $limit8 (local.get $b) (i64.const 0) (i64.const 0x00ff00ff00ff00ff))
        (i64.const 32))))

  (func (export "i16x8.narrow_i32x4_s") (param $a i64) (param $b i64) (result i64)
    (i64.or
      (call $limit16 (local.get $a)
        (i64.const 0xffff8000ffff8000) (i64.const 0x00007fff00007fff))
      (i64.shl
        (call $limit16 (local.get $b)
          (i64.const 0xffff8000ffff8000) (i64.const 0x00007fff00007fff))
        (i64.const 32))))

  (func (export "i16x8.narrow_i32x4_u") (param $a i64) (param $b i64) (result i64)
    (i64.or
      (call $limit16 (local.get $a) (i64.const 0) (i64.const 0x0000ffff0000ffff))
      (i64.shl
        (call $limit16 (local.get $b) (i64.const 0) (i64.const 0x0000ffff0000ffff))
        (i64.const 32))))

  ;; Lane i of a product: a shifted down times lane i of b where it is; lower lanes stay below it.
  (func $i16x8.mul (export "i16x8.mul") (param $a i64) (param $b i64) (result i64)
    (i64.or
      (i64.or
        (i64.and
          (i64.mul (local.get $a) (local.get $b))
          (i64.const 0xffff))
        (i64.and
          (i64.mul
            (i64.shr_u (local.get $a) (i64.const 16))
            (i64.and (local.get $b) (i64.const 0xffff0000)))
          (i64.const 0xffff0000)))
      (i64.or
        (i64.and
          (i64.mul
            (i64.shr_u (local.get $a) (i64.const 32))
            (i64.and (local.get $b) (i64.const 0xffff00000000)))
          (i64.const 0xffff00000000))
        (i64.mul
          (i64.shr_u (local.get $a) (i64.const 48))
          (i64.and (local.get $b) (i64.const 0xffff000000000000))))))

  (func $i32x4.mul (export "i32x4.mul") (param $a i64) (param $b i64) (result i64)
    (i64.or
      (i64.and (i64.mul (local.get $a) (local.get $b)) (i64.const 0xffffffff))
      (i64.mul
        (i64.shr_u (local.get $a) (i64.const 32))
        (i64.and (local.get $b) (i64.const 0xffffffff00000000)))))

  (func (export "i64x2.abs") (param $a i64) (result i64) (local $sign i64)
    (local.set $sign (i64.shr_s (local.get $a) (i64.const 63)))
    (i64.sub (i64.xor (local.get $a) (local.get $sign)) (local.get $sign)))

  ;; One lane of a Q15 product: only the square of -1 is beyond the limit.
  (func $q15 (param $a i64) (param $b i64) (result i64) (local $product i64)
    (local.set $product
      (i64.shr_s
        (i64.add
          (i64.mul (i64.extend16_s (local.get $a)) (i64.extend16_s (local.get $b)))
          (i64.const 0x4000))
        (i64.const 15)))
    (i64.and
      (i64.sub
        (local.get $product)
        (i64.extend_i32_u (i64.eq (local.get $product) (i64.const 0x8000))))
      (i64.const 0xffff)))

  (func (export "i16x8.q15mulr_sat_s") (param $a i64) (param $b i64) (result i64)
    (i64.or
      (i64.or
        (call $q15 (local.get $a) (local.get $b))
        (i64.shl
          (call $q15
            (i64.shr_u (local.get $a) (i64.const 16))
            (i64.shr_u (local.get $b) (i64.const 16)))
          (i64.const 16)))
      (i64.or
        (i64.shl
          (call $q15
            (i64.shr_u (local.get $a) (i64.const 32))
            (i64.shr_u (local.get $b) (i64.const 32)))
          (i64.const 32))
        (i64.shl
          (call $q15
            (i64.shr_u (local.get $a) (i64.const 48))
            (i64.shr_u (local.get $b) (i64.const 48)))
          (i64.const 48)))))

  (func (export "i32x4.dot_i16x8_s") (param $a i64) (param $b i64) (result i64)
    (call $i32x4.add
      (call $i32x4.mul (call $even16 (local.get $a)) (call $even16 (local.get $b)))
      (call $i32x4.mul (call $odd16 (local.get $a)) (call $odd16 (local.get $b)))))

  (func $dot8 (export "i16x8.relaxed_dot_i8x16_i7x16_s") (param $a i64) (param $b i64) (result i64)
    (call $i16x8.add
      (call $i16x8.mul (call $even8 (local.get $a)) (call $even8 (local.get $b)))
      (call $i16x8.mul (call $odd8 (local.get $a)) (call $odd8 (local.get $b)))))

  (func (export "i32x4.relaxed_dot_i8x16_i7x16_add_s") (param $a i64) (param $b i64) (param $c i64)
    (result i64)
    (call $i32x4.add
      (call $extadd16 (call $dot8 (local.get $a) (local.get $b)))
      (local.get $c)))

  ;; Sums of bits in lanes of two, four and eight bits.
  (func (export "i8x16.popcnt") (param $a i64) (result i64)
    (local.set $a
      (i64.sub (local.get $a)
        (i64.and (i64.shr_u (local.get $a) (i64.const 1)) (i64.const 0x5555555555555555))))
    (local.set $a
      (i64.add
        (i64.and (local.get $a) (i64.const 0x3333333333333333))
        (i64.and (i64.shr_u (local.get $a) (i64.const 2)) (i64.const 0x3333333333333333))))
    (i64.and
      (i64.add (local.get $a) (i64.shr_u (local.get $a) (i64.const 4)))
      (i64.const 0x0f0f0f0f0f0f0f0f)))

  ;; Eight bytes of a vector (low, high) by index. An index picks a word by bit 3 and shifts it; bytes of
  ;; the result enter at the top, the first one first.
  (func (export "swizzle") (param $low i64) (param $high i64) (param $index i64) (result i64)
    (local $count i32) (local $result i64)
    (loop $next
      (local.set $result (i64.shr_u (local.get $result) (i64.const 8)))
      (if (i64.eqz (i64.and (local.get $index) (i64.const 0xf0)))
        (then
          (local.set $result
            (i64.or (local.get $result)
              (i64.shl
                (i64.shr_u
                  (select (local.get $high) (local.get $low)
                    (i32.and (i32.wrap_i64 (local.get $index)) (i32.const 8)))
                  (i64.shl (local.get $index) (i64.const 3)))
                (i64.const 56))))))
      (local.set $index (i64.shr_u (local.get $index) (i64.const 8)))
      (local.set $count (i32.add (local.get $count) (i32.const 1)))
      (br_if $next (i32.ne (local.get $count) (i32.const 8))))
    (local.get $result))

  (func (export "f64x2.pmin") (param $a i64) (param $b i64) (result i64)
    (select (local.get $b) (local.get $a)
      (f64.lt (f64.reinterpret_i64 (local.get $b)) (f64.reinterpret_i64 (local.get $a)))))

  (func (export "f64x2.pmax") (param $a i64) (param $b i64) (result i64)
    (select (local.get $b) (local.get $a)
      (f64.lt (f64.reinterpret_i64 (local.get $a)) (f64.reinterpret_i64 (local.get $b)))))

  (func $f32.pmin (param $a f32) (param $b f32) (result f32)
    (select (local.get $b) (local.get $a) (f32.lt (local.get $b) (local.get $a))))

  (func $f32.pmax (param $a f32) (param $b f32) (result f32)
    (select (local.get $b) (local.get $a) (f32.lt (local.get $a) (local.get $b))))

  ;; a * b + c rounded once. The product is exact in double precision. Their sum is rounded to odd (the
  ;; neighbour with an odd last bit unless it is exact), after which rounding to single precision is
  ;; as if the exact sum were rounded, because 53 >= 24 + 2.
  (func $f32.fma (param $a f32) (param $b f32) (param $c f32) (result f32)
    (local $x f64) (local $y f64) (local $sum f64) (local $part f64) (local $error f64)
    (local $bits i64)
    (local.set $x (f64.mul (f64.promote_f32 (local.get $a)) (f64.promote_f32 (local.get $b))))
    (local.set $y (f64.promote_f32 (local.get $c)))
    (local.set $sum (f64.add (local.get $x) (local.get $y)))
    (local.set $part (f64.sub (local.get $sum) (local.get $x)))
    ;; the exact error of the sum
    (local.set $error
      (f64.add
        (f64.sub (local.get $x) (f64.sub (local.get $sum) (local.get $part)))
        (f64.sub (local.get $y) (local.get $part))))
    (local.set $bits (i64.reinterpret_f64 (local.get $sum)))
    ;; without an error, or if it is NaN because the sum is not finite, the sum stands
    (if (i32.or
          (f64.lt (local.get $error) (f64.const 0))
          (f64.gt (local.get $error) (f64.const 0)))
      (then
        (if (i64.eqz (i64.and (local.get $bits) (i64.const 1)))
          (then
            (local.set $bits
              (i64.add (local.get $bits)
                (select (i64.const 1) (i64.const -1)
                  (i32.eq
                    (f64.gt (local.get $error) (f64.const 0))
                    (f64.gt (local.get $sum) (f64.const 0))))))))))
    (f32.demote_f64 (f64.reinterpret_i64 (local.get $bits))))

  ;; Significand with its high bit at 53, and exponent, of a finite number that is not zero.
  (func $parts (param $bits i64) (result i64 i32) (local $e i32) (local $shift i64)
    (local.set $e
      (i32.and (i32.wrap_i64 (i64.shr_u (local.get $bits) (i64.const 52))) (i32.const 0x7ff)))
    (local.set $bits (i64.and (local.get $bits) (i64.const 0x000fffffffffffff)))
    (if (result i64) (local.get $e)
      (then (i64.or (local.get $bits) (i64.const 0x0010000000000000)))
      (else
        (local.set $shift (i64.sub (i64.clz (local.get $bits)) (i64.const 11)))
        (local.set $e (i32.sub (i32.const 1) (i32.wrap_i64 (local.get $shift))))
        (i64.shl (local.get $bits) (local.get $shift))))
    (i64.shl (i64.const 1))
    (i32.sub (local.get $e) (i32.const 1076)))

  ;; Shift right by 0 to 63; the lowest bit tells whether ones were lost.
  (func $sticky (param $a i64) (param $count i64) (result i64)
    (i64.or
      (i64.shr_u (local.get $a) (local.get $count))
      (i64.extend_i32_u
        (i64.ne
          (i64.shl (i64.shr_u (local.get $a) (local.get $count)) (local.get $count))
          (local.get $a)))))

  ;; The high word of a product of numbers below 2^54: a = a1 2^32 + a0.
  (func $high (param $a i64) (param $b i64) (result i64)
    (local $a0 i64) (local $b0 i64) (local $middle i64)
    (local.set $a0 (i64.and (local.get $a) (i64.const 0xffffffff)))
    (local.set $b0 (i64.and (local.get $b) (i64.const 0xffffffff)))
    (local.set $a (i64.shr_u (local.get $a) (i64.const 32)))
    (local.set $b (i64.shr_u (local.get $b) (i64.const 32)))
    (local.set $middle
      (i64.add
        (i64.add
          (i64.mul (local.get $a) (local.get $b0))
          (i64.mul (local.get $a0) (local.get $b)))
        (i64.shr_u (i64.mul (local.get $a0) (local.get $b0)) (i64.const 32))))
    (i64.add
      (i64.mul (local.get $a) (local.get $b))
      (i64.shr_u (local.get $middle) (i64.const 32))))

  (func $finite (param $a f64) (result i32)
    (f64.lt (f64.abs (local.get $a)) (f64.const inf)))

  ;; a * b + c rounded once, on integers: the exact product and c, aligned in 128 bits.
  (func $f64.fma (param $a f64) (param $b f64) (param $c f64) (result f64)
    (local $x i64) (local $y i64) (local $high i64) (local $low i64)
    (local $z_high i64) (local $z_low i64) (local $sign i64) (local $distance i64)
    (local $e i32) (local $e_y i32) (local $e_z i32)
    ;; zeros, infinities and NaN need no rounding, or no other than that of the product
    (if (i32.and (call $finite (local.get $a)) (call $finite (local.get $b)))
      (then
        (if (i32.eqz (call $finite (local.get $c)))
          (then (return (f64.add (local.get $c) (local.get $c)))))))
    (if (i32.or
          (i32.eqz
            (i32.and (call $finite (local.get $a)) (call $finite (local.get $b))))
          (i32.or
            (f64.eq (local.get $a) (f64.const 0))
            (f64.eq (local.get $b) (f64.const 0))))
      (then (return (f64.add (f64.mul (local.get $a) (local.get $b)) (local.get $c)))))
    (if (f64.eq (local.get $c) (f64.const 0))
      (then (return (f64.mul (local.get $a) (local.get $b)))))
    (call $parts (i64.reinterpret_f64 (local.get $a)))
    (local.set $e)
    (local.set $x)
    (call $parts (i64.reinterpret_f64 (local.get $b)))
    (local.set $e_y)
    (local.set $y)
    (call $parts (i64.reinterpret_f64 (local.get $c)))
    (local.set $e_z)
    (local.set $z_low)
    (local.set $high (call $high (local.get $x) (local.get $y)))
    (local.set $low (i64.mul (local.get $x) (local.get $y)))
    (local.set $e (i32.add (local.get $e) (local.get $e_y)))
    ;; align: whichever has the lower exponent moves right, unless c has room to move left
    (local.set $distance
      (i64.extend_i32_s (i32.sub (local.get $e_z) (local.get $e))))
    (if (i64.gt_s (local.get $distance) (i64.const 0))
      (then
        (if (i64.lt_s (local.get $distance) (i64.const 64))
          (then
            (local.set $z_high
              (i64.shr_u (local.get $z_low) (i64.sub (i64.const 64) (local.get $distance))))
            (local.set $z_low (i64.shl (local.get $z_low) (local.get $distance))))
          (else
            (local.set $z_high (local.get $z_low))
            (local.set $z_low (i64.const 0))
            (local.set $e (i32.sub (local.get $e_z) (i32.const 64)))
            (local.set $distance (i64.sub (local.get $distance) (i64.const 64)))
            (if (i64.ge_s (local.get $distance) (i64.const 64))
              (then
                (local.set $low (i64.const 1))
                (local.set $high (i64.const 0)))
              (else
                (if (i64.ne (local.get $distance) (i64.const 0))
                  (then
                    (local.set $low
                      (i64.or
                        (call $sticky (local.get $low) (local.get $distance))
                        (i64.shl
                          (local.get $high)
                          (i64.sub (i64.const 64) (local.get $distance)))))
                    (local.set $high
                      (i64.shr_u (local.get $high) (local.get $distance))))))))))
      (else
        (local.set $distance (i64.sub (i64.const 0) (local.get $distance)))
        (local.set $z_low
          (if (result i64) (i64.lt_s (local.get $distance) (i64.const 64))
            (then (call $sticky (local.get $z_low) (local.get $distance)))
            (else (i64.const 1))))))
    ;; add, or subtract and negate a negative difference; $sign keeps only the sign
    (local.set $sign
      (i64.and
        (i64.xor (i64.reinterpret_f64 (local.get $a)) (i64.reinterpret_f64 (local.get $b)))
        (i64.const 0x8000000000000000)))
    (if (i64.ge_s
          (i64.xor (local.get $sign) (i64.reinterpret_f64 (local.get $c)))
          (i64.const 0))
      (then
        (local.set $low (i64.add (local.get $low) (local.get $z_low)))
        (local.set $high
          (i64.add
            (i64.add (local.get $high) (local.get $z_high))
            (i64.extend_i32_u (i64.lt_u (local.get $low) (local.get $z_low))))))
      (else
        (local.set $high
          (i64.sub
            (i64.sub (local.get $high) (local.get $z_high))
            (i64.extend_i32_u (i64.lt_u (local.get $low) (local.get $z_low)))))
        (local.set $low (i64.sub (local.get $low) (local.get $z_low)))
        (if (i64.lt_s (local.get $high) (i64.const 0))
          (then
            (local.set $low (i64.sub (i64.const 0) (local.get $low)))
            (local.set $high
              (i64.sub
                (i64.sub (i64.const 0) (local.get $high))
                (i64.extend_i32_u (i64.ne (local.get $low) (i64.const 0)))))
            (local.set $sign
              (i64.xor (local.get $sign) (i64.const 0x8000000000000000)))))))
    ;; the highest 63 bits, the last of them sticky, with the high bit at 62
    (if (i64.eqz (local.get $high))
      (then
        (if (i64.eqz (local.get $low)) (then (return (f64.const 0))))
        (local.set $e (i32.sub (local.get $e) (i32.const 64)))
        (local.set $high (local.get $low))
        (local.set $low (i64.const 0))))
    (local.set $e (i32.add (local.get $e) (i32.const 64)))
    (local.set $distance (i64.sub (i64.clz (local.get $high)) (i64.const 1)))
    (if (i64.lt_s (local.get $distance) (i64.const 0))
      (then
        (local.set $high (call $sticky (local.get $high) (i64.const 1)))
        (local.set $e (i32.add (local.get $e) (i32.const 1))))
      (else
        (if (i64.ne (local.get $distance) (i64.const 0))
          (then
            (local.set $high
              (i64.or
                (i64.shl (local.get $high) (local.get $distance))
                (call $sticky
                  (local.get $low) (i64.sub (i64.const 64) (local.get $distance)))))
            (local.set $e
              (i32.sub (local.get $e) (i32.wrap_i64 (local.get $distance))))))))
    (f64.reinterpret_i64
      (i64.or (call $round (local.get $high) (local.get $e)) (local.get $sign))))

  ;; The pattern of $a 2^$e, whose high bit is 62, rounded to nearest, ties to even.
  (func $round (param $a i64) (param $e i32) (result i64)
    (local $shift i64) (local $exponent i64)
    (local.set $exponent (i64.extend_i32_s (i32.add (local.get $e) (i32.const 1085))))
    (if (i64.gt_s (local.get $exponent) (i64.const 2046))
      (then (return (i64.const 0x7ff0000000000000))))
    (local.set $shift (i64.const 10))
    (if (i64.lt_s (local.get $exponent) (i64.const 1))
      (then
        (local.set $shift (i64.sub (i64.const 11) (local.get $exponent)))
        (local.set $exponent (i64.const 1))
        (if (i64.gt_s (local.get $shift) (i64.const 63)) (then (return (i64.const 0))))))
    ;; the implicit bit adds one to the exponent, and so does a carry
    (i64.add
      (i64.shl (i64.sub (local.get $exponent) (i64.const 1)) (i64.const 52))
      (i64.shr_u
        (i64.add
          (i64.add
            (local.get $a)
            (i64.sub
              (i64.shl (i64.const 1) (i64.sub (local.get $shift) (i64.const 1)))
              (i64.const 1)))
          (i64.and (i64.shr_u (local.get $a) (local.get $shift)) (i64.const 1)))
        (local.get $shift))))

  (func (export "f64x2.relaxed_madd") (param $a i64) (param $b i64) (param $c i64) (result i64)
    (i64.reinterpret_f64
      (call $f64.fma
        (f64.reinterpret_i64 (local.get $a))
        (f64.reinterpret_i64 (local.get $b))
        (f64.reinterpret_i64 (local.get $c)))))

  (func (export "f64x2.relaxed_nmadd") (param $a i64) (param $b i64) (param $c i64) (result i64)
    (i64.reinterpret_f64
      (call $f64.fma
        (f64.neg (f64.reinterpret_i64 (local.get $a)))
        (f64.reinterpret_i64 (local.get $b))
        (f64.reinterpret_i64 (local.get $c)))))
