"""The corpus executes every instruction and stays inside what the machine is made for."""

import pytest

from tests.sampling import sampled
from transputer.check.audit.corpus import CORPUS, CorpusProgram
from transputer.check.audit.edges import EDGES, quotients
from transputer.check.audit.evidence import FAR, scenes
from transputer.check.audit.far import acts, far
from transputer.check.audit.play import (
    MirroredSession,
    Screen,
    TokenRecorder,
    core_code,
    play_scene,
)
from transputer.check.audit.stage import Scene
from transputer.check.audit.universal import executed
from transputer.circuit.evaluate import CircuitSession
from transputer.isa.core import CORE
from transputer.machines.trace.circuit import circuit, model
from transputer.machines.trace.opcodes import OPCODES, VARIANTS
from transputer.machines.trace.vocabulary import Space, record
from transputer.runtime.trace.sessions import new_engine

NAMES = {number: name for name, number in OPCODES.items()}


def watched(case: CorpusProgram) -> set[str]:
    """The opcodes at all places where steps of a program began."""
    recorder, places = TokenRecorder(new_engine("auto", model())), set[int]()
    session = MirroredSession(recorder, Screen(case.stdin), case.frames)
    session.trace.watch = lambda before, now: places.add(before.pc)
    instance, _ = session.load(core_code(case))
    for export, args in case.calls:
        session.invoke(instance, export, args)
    tokens = [record(token) for token in recorder.tokens]
    code = {token.at: token.op for token in tokens if token.space == Space.CODE}
    found = {NAMES[code[place]] for place in places}
    fetched = executed(recorder.recording(case.name))
    assert found == {NAMES[tokens[at].op] for at in fetched}
    return found


def test_programs_execute_every_opcode() -> None:
    seen = set().union(*(watched(case) for case in CORPUS))
    assert sorted(set(OPCODES) - seen) == []


def test_scenes_by_chance_know_every_row() -> None:
    variants = {v for names in VARIANTS.values() for v in names}
    named = {name for name in OPCODES if name in CORE}
    assert set(acts()) == named | set(VARIANTS)
    assert set(OPCODES) - named - variants == {"host"}


def test_scenes_are_repeatable_and_apart() -> None:
    first, again = scenes(), scenes()
    assert first == again
    assert len({scene.name for scene in first}) == len(first) == FAR + len(EDGES)
    assert far(1).items != far(2).items


SOME = (Scene("quotients begun", quotients().items[:250]), far(0))


@pytest.mark.parametrize("scene", sampled(SOME, 2), ids=lambda scene: scene.name)
def test_scenes_keep_every_assumption(scene: Scene) -> None:
    """The graph without weights, which checks every assumed range, predicts the same."""
    recording = play_scene(scene, new_engine("auto", model()))
    session = CircuitSession(circuit())
    for token, decoded in zip(recording.tokens, recording.decoded, strict=True):
        if decoded:
            assert session.next() == token
        session.append(token)
