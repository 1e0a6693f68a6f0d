(** Byte sums with carries are addition modulo 2^n.

    A word of n digits in base b (256 in the model) is written by n outputs. Output d is
    y_d + c_(d-1) - b c_d, where y_d is any integer (a sum of digits, a product of digits, ...),
    and the carry c_d is floor((y_0 + b y_1 + ... + b^d y_d) / b^(d+1)): what neurons compute from
    the low d + 1 digits. Then every output is a digit (nothing is clamped), and the word that
    they spell is the sum of all b^d y_d modulo b^n. *)

From Coq Require Import ZArith List Lia.
Import ListNotations.
Open Scope Z_scope.

Section Digits.

Variable b : Z.
Hypothesis b_positive : 0 < b.

(** The number that digits spell, the least significant first. *)
Fixpoint value (digits : list Z) : Z :=
  match digits with
  | [] => 0
  | y :: rest => y + b * value rest
  end.

(** The outputs: digit d is y_d + c_(d-1) - b c_d, where the carry into the first digit is
    [incoming] and c_d = floor((y_d + c_(d-1)) / b). *)
Fixpoint outputs (incoming : Z) (ys : list Z) : list Z :=
  match ys with
  | [] => []
  | y :: rest =>
      let carry := (y + incoming) / b in
      (y + incoming - b * carry) :: outputs carry rest
  end.

(** A carry from the carry below is the carry from all digits below: the two ways in which
    neurons compute it, digit after digit or from the whole sum, agree. *)
Lemma carry_from_all_digits : forall low y m,
  0 < m -> (low + m * y) / (m * b) = (y + low / m) / b.
Proof.
  intros low y m Hm.
  rewrite <- Z.div_div by lia.
  f_equal.
  rewrite (Z.mul_comm m y), Z.div_add by lia. lia.
Qed.

Lemma outputs_length : forall ys c, length (outputs c ys) = length ys.
Proof.
  induction ys as [| y ys IH]; intros c; simpl; [reflexivity |].
  f_equal. apply IH.
Qed.

(** Every output is a digit. *)
Theorem outputs_are_digits : forall ys c d,
  In d (outputs c ys) -> 0 <= d < b.
Proof.
  induction ys as [| y ys IH]; intros c d H; simpl in H; [contradiction |].
  destruct H as [H | H].
  - subst d. rewrite <- Z.mod_eq by lia. apply Z.mod_pos_bound. lia.
  - exact (IH _ _ H).
Qed.

(** The outputs and the last carry spell the sum. *)
Lemma outputs_value : forall ys c,
  exists carry, value (outputs c ys) + b ^ Z.of_nat (length ys) * carry = value ys + c.
Proof.
  induction ys as [| y ys IH]; intros c.
  - exists c. cbn [outputs value length]. change (Z.of_nat 0) with 0. rewrite Z.pow_0_r. lia.
  - destruct (IH ((y + c) / b)) as [carry H]. exists carry.
    cbn [outputs value length].
    rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia.
    remember ((y + c) / b) as k.
    replace (y + b * value ys + c) with (y + c + b * (value ys + k) - b * k) by lia.
    rewrite <- H. ring.
Qed.

Lemma digits_bounds : forall ds,
  (forall d, In d ds -> 0 <= d < b) -> 0 <= value ds < b ^ Z.of_nat (length ds).
Proof.
  induction ds as [| d ds IH]; intros H.
  - cbn [value length]. change (Z.of_nat 0) with 0. rewrite Z.pow_0_r. lia.
  - assert (0 <= value ds < b ^ Z.of_nat (length ds)) by (apply IH; intros; apply H; now right).
    assert (0 <= d < b) by (apply H; now left).
    cbn [value length]. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. nia.
Qed.

(** The word that the outputs spell is the sum modulo b^n. *)
Theorem outputs_are_the_sum_modulo : forall ys,
  value (outputs 0 ys) = value ys mod b ^ Z.of_nat (length ys).
Proof.
  intros ys.
  destruct (outputs_value ys 0) as [carry H].
  assert (B : 0 <= value (outputs 0 ys) < b ^ Z.of_nat (length ys)).
  { rewrite <- (outputs_length ys 0). apply digits_bounds. intros d. apply outputs_are_digits. }
  apply Z.mod_unique with (q := carry); lia.
Qed.

(** Digit by digit sums of two words add the words. *)
Fixpoint plus (xs ys : list Z) : list Z :=
  match xs, ys with
  | x :: xs', y :: ys' => (x + y) :: plus xs' ys'
  | _, _ => []
  end.

Lemma value_plus : forall xs ys,
  length xs = length ys ->
  value (plus xs ys) = value xs + value ys /\ length (plus xs ys) = length xs.
Proof.
  induction xs as [| x xs IH]; intros [| y ys] H; cbn [plus value length] in *; try discriminate.
  - split; lia.
  - injection H as H. destruct (IH ys H) as [V L]. rewrite V, L. split; [ring | reflexivity].
Qed.

End Digits.

(** The lemma for the machine: eight bytes are a word of 64 bits, and their sums with carries
    are its sum; with n = 4, of 32 bits. *)
Theorem byte_sums_add : forall xs ys,
  length xs = length ys ->
  value 256 (outputs 256 0 (plus xs ys)) =
  (value 256 xs + value 256 ys) mod 2 ^ (8 * Z.of_nat (length xs)).
Proof.
  intros xs ys H.
  destruct (value_plus 256 xs ys H) as [V L].
  rewrite outputs_are_the_sum_modulo by lia.
  rewrite V, L.
  f_equal. change 256 with (2 ^ 8).
  rewrite <- Z.pow_mul_r by lia. reflexivity.
Qed.

(** A clamp to the digit's range changes no output: the argmax of 2 v x - v^2 over v < b is x. *)
Theorem nearest_value : forall b x v,
  0 <= x < b -> 0 <= v < b -> v <> x -> 2 * v * x - v * v < 2 * x * x - x * x.
Proof. intros b x v Hx Hv N. nia. Qed.

Print Assumptions byte_sums_add.
Print Assumptions outputs_are_digits.
Print Assumptions carry_from_all_digits.
Print Assumptions nearest_value.
