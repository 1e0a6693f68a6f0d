(module
  (import "transputer" "read" (func $read (result i32)))
  (import "transputer" "write" (func $write (param i32)))
  (import "transputer" "exit" (func $exit (param i32)))
  (type $step (func (param i32) (result i32)))
  (memory 1)
  (data (i32.const 3) "hello\00\01\02")
  (global $count (mut i32) (i32.const 77))
  (table 4 funcref)
  (elem (i32.const 1) $next $counted)
  (func $next (type $step) local.get 0 i32.const 1 i32.add)
  (func $counted (type $step)
    local.get 0 global.get $count i32.add
    global.get $count i32.const 1 i32.add global.set $count)
  (func $pick (param i32) (result i32)
    (block $c (block $b (block $a local.get 0 br_table $a $b $c)
      i32.const 10 return) i32.const 20 return) i32.const 30)
  ;; jump table, data, indirect call, division, growth and all three devices
  (func (export "everything") (param i32 i32) (result i32)
    call $read call $write
    call $read call $write
    i32.const 4 i32.load8_u call $write
    local.get 0 call $pick
    i32.const 6 i32.load i32.add
    local.get 0 local.get 1 call_indirect (type $step) i32.add
    local.get 1 local.get 0 i32.const 1 i32.add i32.div_s i32.add
    i32.const 1 memory.grow i32.add)
  (func (export "leave") (param i32) local.get 0 call $exit unreachable)
  (func (export "pair") (param i32) (result i32 i32) local.get 0 i32.const 3 i32.mul i32.const 5)
  (func (export "straddle") (param i32) (result i32)
    i32.const 65533 local.get 0 i32.store16
    i32.const 65531 local.get 0 i32.store
    i32.const 65532 i32.load))
