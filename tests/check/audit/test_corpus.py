"""The corpus executes every instruction and stays inside what the machine is made for."""

import pytest

from tests.sampling import sampled
from transputer.check.audit.corpus import CORPUS, CorpusProgram
from transputer.check.audit.evidence import LONG_SCENE, scenes
from transputer.check.audit.far import acts, far
from transputer.check.audit.numbers import NUMBERS, quotients, roots
from transputer.check.audit.play import (
    MirroredSession,
    Screen,
    TokenRecorder,
    core_code,
    play_scene,
)
from transputer.check.audit.stage import Scene
from transputer.check.audit.tails import rounds, scaled
from transputer.check.audit.universal import executed
from transputer.circuit.evaluate import CircuitSession
from transputer.isa.core import CORE
from transputer.machines.trace.circuit import circuit
from transputer.machines.trace.opcodes import OPCODES, VARIANTS
from transputer.machines.trace.universal import model
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


@pytest.mark.slow
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
    assert len({scene.name for scene in first}) == len(first)
    assert far(1).items != far(2).items


def test_parts_of_a_scene_run_the_same_instructions() -> None:
    whole = roots()
    parts = whole.parts(50)
    shared = whole.items[: whole.prelude]
    assert len(parts) > 3
    assert all(part.items[: whole.prelude] == shared for part in parts)
    rest = (item for part in parts for item in part.items[whole.prelude :])
    assert (*shared, *rest) == whole.items
    assert far(0).parts(50) == [far(0)]


def test_scenes_of_numbers_execute_every_numeric_row() -> None:
    numbers = {name for name in OPCODES if name in CORE and CORE[name].fn and CORE[name].params}
    placed = {
        NAMES[item.op]
        for scene in (make() for make in NUMBERS)
        for item in scene.items[: scene.prelude]
        if not isinstance(item, int) and item.space == Space.CODE
    }
    accesses = {name for name in numbers if CORE[name].width}
    assert sorted(numbers - accesses - placed) == []


SOME = (
    far(0),
    quotients().parts(LONG_SCENE)[3],
    roots().parts(200)[0],
    rounds().parts(100)[-1],
    scaled().parts(100)[0],
)


@pytest.mark.slow
@pytest.mark.parametrize("scene", sampled(SOME, 2), ids=lambda scene: scene.name)
def test_scenes_keep_every_assumption(scene: Scene) -> None:
    """The graph without weights, which checks every assumed range, predicts the same."""
    recording = play_scene(scene, new_engine("auto", model()))
    session = CircuitSession(circuit())
    for token, decoded in zip(recording.tokens, recording.decoded, strict=True):
        if decoded:
            assert session.next() == token
        session.append(token)
