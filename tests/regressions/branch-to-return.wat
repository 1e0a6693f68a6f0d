;; Core code once let a jump to a `return` of the program return itself, and counted one
;; instruction where the program as written has two.
;; call ["direct", []]
;; call ["arms", [0]]
;; call ["arms", [1]]
;; call ["chained", [0]]
;; call ["chained", [1]]
(module
  (func (export "direct") (result i32)
    block
      br 0
    end
    i32.const 7
    return)
  (func (export "arms") (param i32) (result i32)
    local.get 0
    if (result i32)
      i32.const 1
    else
      i32.const 2
    end
    return)
  (func (export "chained") (param i32)
    block
      block
        local.get 0
        br_if 0
        br 1
      end
      br 0
    end
    return))
