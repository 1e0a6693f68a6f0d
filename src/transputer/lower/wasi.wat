;; WASI over the three devices: bytes in, bytes out, exit. Standard input, output and error are
;; the only files there are: a program that needs more is linked with files.c. What depends on one run (arguments, variables, the clock's start,
;; the seed) is added to this text by wasi.py.
;;
;; Numbers of errors: 8 no such file descriptor, 28 not a valid argument, 70 cannot seek.

  (import "transputer" "read" (func $read (result i32)))
  (import "transputer" "put" (func $put (param i32)))
  (import "transputer" "exit" (func $exit (param i32)))
  (import "transputer" "steps" (func $steps (result i64)))
  (memory 0)
  (global $open (mut i32) (i32.const 7)) ;; one bit for each open file

  (func $is_open (param $fd i32) (result i32)
    (if (result i32) (i32.lt_u (local.get $fd) (i32.const 3))
      (then (i32.and (i32.shr_u (global.get $open) (local.get $fd)) (i32.const 1)))
      (else (i32.const 0))))

  ;; 8 where there is no such file, else `otherwise`.
  (func $unless_closed (param $fd i32) (param $otherwise i32) (result i32)
    (select (local.get $otherwise) (i32.const 8) (call $is_open (local.get $fd))))

  (func (export "fd_write")
    (param $fd i32) (param $vectors i32) (param $count i32) (param $out i32) (result i32)
    (local $total i32) (local $at i32) (local $end i32) (local $channel i32)
    (if (i32.eqz (i32.and (call $is_open (local.get $fd)) (i32.ne (local.get $fd) (i32.const 0))))
      (then (return (i32.const 8))))
    ;; bit 8 of what is put out says that it is an error
    (local.set $channel (i32.shl (i32.sub (local.get $fd) (i32.const 1)) (i32.const 8)))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $at (i32.load (local.get $vectors)))
        (local.set $end (i32.add (local.get $at) (i32.load offset=4 (local.get $vectors))))
        (local.set $total
          (i32.add (local.get $total) (i32.load offset=4 (local.get $vectors))))
        (if (i32.ne (local.get $at) (local.get $end)) ;; all of it is there, or nothing is written
          (then (drop (i32.load8_u (i32.sub (local.get $end) (i32.const 1))))))
        (block $short ;; four bytes to a round
          (loop $four
            (br_if $short
              (i32.lt_u (i32.sub (local.get $end) (local.get $at)) (i32.const 4)))
            (call $put (i32.or (i32.load8_u (local.get $at)) (local.get $channel)))
            (call $put (i32.or (i32.load8_u offset=1 (local.get $at)) (local.get $channel)))
            (call $put (i32.or (i32.load8_u offset=2 (local.get $at)) (local.get $channel)))
            (call $put (i32.or (i32.load8_u offset=3 (local.get $at)) (local.get $channel)))
            (local.set $at (i32.add (local.get $at) (i32.const 4)))
            (br $four)))
        (block $written
          (loop $byte
            (br_if $written (i32.eq (local.get $at) (local.get $end)))
            (call $put (i32.or (i32.load8_u (local.get $at)) (local.get $channel)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (br $byte)))
        (local.set $vectors (i32.add (local.get $vectors) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next)))
    (i32.store (local.get $out) (local.get $total))
    (i32.const 0))

  ;; Up to the end of a line, so that no more is asked for than is there when it is typed.
  (func (export "fd_read")
    (param $fd i32) (param $vectors i32) (param $count i32) (param $out i32) (result i32)
    (local $total i32) (local $at i32) (local $end i32) (local $byte i32)
    (if (i32.eqz (i32.and (call $is_open (local.get $fd)) (i32.eqz (local.get $fd))))
      (then (return (i32.const 8))))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $at (i32.load (local.get $vectors)))
        (local.set $end (i32.add (local.get $at) (i32.load offset=4 (local.get $vectors))))
        (block $full
          (loop $byte
            (br_if $full (i32.eq (local.get $at) (local.get $end)))
            (br_if $done (i32.lt_s (local.tee $byte (call $read)) (i32.const 0)))
            (i32.store8 (local.get $at) (local.get $byte))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (local.set $total (i32.add (local.get $total) (i32.const 1)))
            (br_if $byte (i32.ne (local.get $byte) (i32.const 10)))
            (br $done)))
        (local.set $vectors (i32.add (local.get $vectors) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next)))
    (i32.store (local.get $out) (local.get $total))
    (i32.const 0))

  (func (export "fd_close") (param $fd i32) (result i32)
    (if (i32.eqz (call $is_open (local.get $fd)))
      (then (return (i32.const 8))))
    (global.set $open
      (i32.xor (global.get $open) (i32.shl (i32.const 1) (local.get $fd))))
    (i32.const 0))

  (func (export "fd_seek")
    (param $fd i32) (param $offset i64) (param $whence i32) (param $out i32) (result i32)
    (call $unless_closed (local.get $fd) (i32.const 70)))

  ;; A character device that can be read (2) or written (64), and nothing else.
  (func (export "fd_fdstat_get") (param $fd i32) (param $out i32) (result i32)
    (if (i32.eqz (call $is_open (local.get $fd)))
      (then (return (i32.const 8))))
    (i32.store (local.get $out) (i32.const 2))
    (i32.store offset=4 (local.get $out) (i32.const 0))
    (i32.store offset=8 (local.get $out)
      (select (i32.const 64) (i32.const 2) (local.get $fd)))
    (i32.store offset=12 (local.get $out) (i32.const 0))
    (i32.store offset=16 (local.get $out) (i32.const 0))
    (i32.store offset=20 (local.get $out) (i32.const 0))
    (i32.const 0))

  ;; No folder is open.
  (func (export "fd_prestat_get") (param $fd i32) (param $out i32) (result i32)
    (i32.const 8))

  (func (export "fd_prestat_dir_name")
    (param $fd i32) (param $path i32) (param $length i32) (result i32)
    (i32.const 8))

  ;; There is no one to yield to.
  (func (export "sched_yield") (result i32)
    (i32.const 0))

  (func (export "proc_exit") (param $code i32)
    (call $exit (local.get $code)))

  (func (export "random_get") (param $at i32) (param $count i32) (result i32)
    (block $done
      (loop $byte
        (br_if $done (i32.eqz (local.get $count)))
        (global.set $seed
          (i32.add
            (i32.mul (global.get $seed) (i32.const 1664525))
            (i32.const 1013904223)))
        (i32.store8 (local.get $at) (i32.shr_u (global.get $seed) (i32.const 24)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $byte)))
    (i32.const 0))

  (func (export "clock_res_get") (param $clock i32) (param $out i32) (result i32)
    (if (i32.gt_u (local.get $clock) (i32.const 3))
      (then (return (i32.const 28))))
    (i32.store (local.get $out) (global.get $tick))
    (i32.store offset=4 (local.get $out) (i32.const 0))
    (i32.const 0))

  ;; `clock_time_get` is one of these; wasi.py says which.
  (func $count_steps
    (param $clock i32) (param $precision i64) (param $out i32) (result i32)
    (if (i32.gt_u (local.get $clock) (i32.const 3))
      (then (return (i32.const 28))))
    (i64.store (local.get $out)
      (i64.add
        (i64.or
          (i64.extend_i32_u (global.get $time))
          (i64.shl (i64.extend_i32_u (global.get $time_high)) (i64.const 32)))
        (i64.mul (call $steps) (i64.extend_i32_u (global.get $tick)))))
    (i32.const 0))

  (func $count_readings
    (param $clock i32) (param $precision i64) (param $out i32) (result i32)
    (if (i32.gt_u (local.get $clock) (i32.const 3))
      (then (return (i32.const 28))))
    (i32.store (local.get $out) (global.get $time))
    (i32.store offset=4 (local.get $out) (global.get $time_high))
    (global.set $time (i32.add (global.get $time) (global.get $tick)))
    (if (i32.lt_u (global.get $time) (global.get $tick)) ;; the low half has gone round
      (then (global.set $time_high (i32.add (global.get $time_high) (i32.const 1)))))
    (i32.const 0))
