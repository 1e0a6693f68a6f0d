(** Digit-parabolic attention with recency is a dictionary whose latest write wins.

    A key is a list of digits (the bytes of an address, and a tag that tells spaces apart). The
    score of a key a for a query q is scale * sum over d of (2 q_d a_d - a_d^2), plus
    recency * position. The head attends to the position with the largest score. If recency times
    the largest position is below the scale, and some position has exactly the digits asked for,
    then the head attends to the latest of these; no scores tie. *)

From Coq Require Import ZArith List Lia.
Import ListNotations.
Open Scope Z_scope.

Section Head.

Variables scale recency last : Z.
Hypothesis recency_positive : 0 < recency.
Hypothesis recency_small : recency * last < scale.

(** A token: its position and the digits of its key. *)
Definition token := (Z * list Z)%type.

Fixpoint parabola (q a : list Z) : Z :=
  match q, a with
  | x :: q', y :: a' => 2 * x * y - y * y + parabola q' a'
  | _, _ => 0
  end.

Definition score (q : list Z) (t : token) : Z :=
  scale * parabola q (snd t) + recency * fst t.

(** The square of the distance of query and key. *)
Fixpoint distance (q a : list Z) : Z :=
  match q, a with
  | x :: q', y :: a' => (x - y) * (x - y) + distance q' a'
  | _, _ => 0
  end.

Fixpoint squares (q : list Z) : Z :=
  match q with
  | [] => 0
  | x :: q' => x * x + squares q'
  end.

Lemma parabola_distance : forall q a,
  length q = length a -> parabola q a = squares q - distance q a.
Proof.
  induction q as [| x q IH]; intros [| y a] H; cbn [parabola squares distance length] in *;
    try discriminate; [lia |].
  injection H as H. rewrite (IH a H). ring.
Qed.

Lemma distance_not_negative : forall q a, 0 <= distance q a.
Proof.
  induction q as [| x q IH]; intros [| y a]; cbn [distance]; try lia.
  specialize (IH a). assert (S := Z.square_nonneg (x - y)). lia.
Qed.

Lemma distance_same : forall q, distance q q = 0.
Proof. induction q as [| x q IH]; cbn [distance]; [reflexivity | rewrite IH; ring]. Qed.

(** Integer keys that differ are at least 1 apart. *)
Lemma distance_other : forall q a,
  length q = length a -> a <> q -> 1 <= distance q a.
Proof.
  induction q as [| x q IH]; intros [| y a] H N; cbn [distance length] in *; try discriminate.
  - contradiction N; reflexivity.
  - injection H as H. assert (P := distance_not_negative q a).
    destruct (Z.eq_dec x y) as [E | E].
    + subst y. assert (a <> q) by (intro; subst; contradiction N; reflexivity).
      specialize (IH a H H0). replace (x - x) with 0 by lia. lia.
    + assert (1 <= (x - y) * (x - y)) by nia. lia.
Qed.

(** The head attends to t: t is in the context, and every other token scores less. *)
Definition attends (q : list Z) (context : list token) (t : token) : Prop :=
  In t context /\ forall u, In u context -> u <> t -> score q u < score q t.

Definition well_formed (q : list Z) (context : list token) : Prop :=
  forall u, In u context -> 0 <= fst u <= last /\ length q = length (snd u).

(** t is the latest token whose key is q. *)
Definition latest (q : list Z) (context : list token) (t : token) : Prop :=
  In t context /\ snd t = q /\
  forall u, In u context -> snd u = q -> u <> t -> fst u < fst t.

Lemma hit_beats_miss : forall q t u,
  0 <= fst t <= last -> 0 <= fst u <= last ->
  length q = length (snd u) -> snd t = q -> snd u <> q -> score q u < score q t.
Proof.
  intros q t u Ht Hu L E N. unfold score.
  rewrite (parabola_distance q (snd u)) by assumption.
  rewrite (parabola_distance q (snd t)) by (rewrite E; reflexivity).
  rewrite E, distance_same.
  assert (D := distance_other q (snd u) L N).
  assert (recency * fst u <= recency * last) by nia.
  assert (0 <= recency * fst t) by nia.
  assert (0 < scale) by nia.
  nia.
Qed.

(** The latest write wins: the head attends to the latest token with the asked key. *)
Theorem latest_write_wins : forall q context t,
  well_formed q context -> latest q context t -> attends q context t.
Proof.
  intros q context t W (I & E & L). split; [assumption |].
  intros u Iu N. destruct (W t I) as [Ht _]. destruct (W u Iu) as [Hu Lu].
  destruct (list_eq_dec Z.eq_dec (snd u) q) as [Eu | Nu].
  - assert (fst u < fst t) by (apply L; assumption).
    unfold score. rewrite E, Eu. nia.
  - apply hit_beats_miss; assumption.
Qed.

(** Only that one: attention is a function. *)
Theorem attends_to_one : forall q context t u,
  attends q context t -> attends q context u -> t = u.
Proof.
  intros q context t u [It Ht] [Iu Hu].
  assert (D : {t = u} + {t <> u}).
  { destruct t as [p a], u as [r c].
    destruct (Z.eq_dec p r); destruct (list_eq_dec Z.eq_dec a c);
      [left; congruence | right; congruence | right; congruence | right; congruence]. }
  destruct D as [D | D]; [assumption |].
  assert (score q u < score q t) by (apply Ht; congruence).
  assert (score q t < score q u) by (apply Hu; congruence).
  lia.
Qed.

(** As a dictionary. [read] looks for the latest write in a sequence of writes, the last first. *)
Fixpoint read (q : list Z) (writes : list (list Z)) (position : Z) : option Z :=
  match writes with
  | [] => None
  | a :: earlier =>
      if list_eq_dec Z.eq_dec a q then Some position else read q earlier (position - 1)
  end.

(** The context of writes, the last first: the last one is at [position]. *)
Fixpoint context_of (writes : list (list Z)) (position : Z) : list token :=
  match writes with
  | [] => []
  | a :: earlier => (position, a) :: context_of earlier (position - 1)
  end.

Lemma context_before : forall writes p u, In u (context_of writes p) -> fst u <= p.
Proof.
  induction writes as [| a writes IH]; intros p u H; simpl in H; [contradiction |].
  destruct H as [H | H]; [subst; simpl; lia |]. specialize (IH _ _ H). lia.
Qed.

Lemma read_is_latest : forall writes q p r,
  read q writes p = Some r -> latest q (context_of writes p) (r, q).
Proof.
  induction writes as [| a writes IH]; intros q p r H; simpl in H; [discriminate |].
  destruct (list_eq_dec Z.eq_dec a q) as [E | N].
  - injection H as H. subst. split; [now left |]. split; [reflexivity |].
    intros u [Iu | Iu] E D; [contradiction D; now symmetry |].
    apply context_before in Iu. simpl. lia.
  - destruct (IH q (p - 1) r H) as (I & _ & L). split; [now right |]. split; [reflexivity |].
    intros u [Iu | Iu] E D; [rewrite <- Iu in E; simpl in E; contradiction |]. now apply L.
Qed.

Theorem attention_is_a_dictionary : forall writes q p r,
  well_formed q (context_of writes p) ->
  read q writes p = Some r ->
  attends q (context_of writes p) (r, q).
Proof. intros. apply latest_write_wins; [assumption |]. now apply read_is_latest. Qed.

(** A miss: a sentinel at position 0 that scores like a hit of no recency (its key row adds
    scale * squares q) is attended to where no key is the one asked for. *)
Theorem a_miss_finds_the_sentinel : forall q u,
  0 <= fst u <= last -> length q = length (snd u) -> snd u <> q ->
  score q u < scale * squares q.
Proof.
  intros q u Hu L N. unfold score. rewrite (parabola_distance q (snd u)) by assumption.
  assert (D := distance_other q (snd u) L N).
  assert (recency * fst u <= recency * last) by nia.
  assert (0 < scale) by nia. nia.
Qed.

(** And it loses to every hit after position 0. *)
Theorem the_sentinel_loses_to_a_hit : forall q t,
  0 < fst t -> snd t = q -> scale * squares q < score q t.
Proof.
  intros q t H E. unfold score. rewrite (parabola_distance q (snd t)) by (rewrite E; reflexivity).
  rewrite E, distance_same. nia.
Qed.

End Head.

Print Assumptions attention_is_a_dictionary.
Print Assumptions latest_write_wins.
Print Assumptions attends_to_one.
Print Assumptions a_miss_finds_the_sentinel.
Print Assumptions the_sentinel_loses_to_a_hit.
