$( A small theory of natural numbers in the Metamath language: symbols, then axioms, then proofs that
   metamath.c checks. $)

$c nat var wff |- 0 S + = ( ) -> all $.
$v x y z u v P Q $.

$( The type of each variable. $)
nx $f nat x $.  ny $f nat y $.  nz $f nat z $.
wp $f wff P $.  wq $f wff Q $.
vu $f var u $.  vv $f var v $.

$( Zero, the successor and sums are numbers; equations, implications and quantifiers are formulas. $)
n0 $a nat 0 $.
nS $a nat S x $.
npl $a nat ( x + y ) $.
weq $a wff x = y $.
wim $a wff ( P -> Q ) $.
wall $a wff all u P $.

$( What addition is. $)
add0 $a |- ( x + 0 ) = x $.
addS $a |- ( x + S y ) = S ( x + y ) $.

$( Rules: equality passes on, successors of equals are equal, modus ponens. $)
${  trans.1 $e |- x = y $.  trans.2 $e |- y = z $.  trans $a |- x = z $.  $}
${  eqS.1 $e |- x = y $.  eqS $a |- S x = S y $.  $}
${  mp.1 $e |- P $.  mp.2 $e |- ( P -> Q ) $.  mp $a |- Q $.  $}

$( What does not speak of u holds for all u. $)
${  $d u P $.  vac $a |- ( P -> all u P ) $.  $}

$( One step of an addition. $)
${  addstep.1 $e |- ( x + y ) = z $.
    addstep $p |- ( x + S y ) = S z $=
      nx ny nS npl  nx ny npl nS  nz nS  nx ny addS
      nx ny npl  nz  addstep.1  eqS  trans $.
$}

$( One and one is two. $)
1p1 $p |- ( S 0 + S 0 ) = S S 0 $=
  n0 nS  n0  n0 nS  n0 nS add0  addstep $.

$( Two and two is four, as a compressed proof. $)
2p2 $p |- ( S S 0 + S S 0 ) = S S S S 0 $=
  ( n0 nS add0 addstep ) ABZBZEFBFAFFCDD $.

$( Something true is true for all u and all v; they must be distinct. $)
${  $d u P $.  $d v P $.  $d u v $.
    everywhere.1 $e |- P $.
    everywhere $p |- all u all v P $=
      wp vv wall  wp vv wall vu wall
      wp  wp vv wall  everywhere.1  wp vv vac  mp
      wp vv wall vu vac  mp $.
$}
