"""The devices: soft and hard agree at temperature 0, and each does what it is for."""

import struct
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed; pip install 'transputer[jax]'")

import jax.numpy as jnp  # noqa: E402

import transputer as tp  # noqa: E402
from transputer.errors import CapacityError, StepLimitError, Trap, UsageError  # noqa: E402
from transputer.host.result import Result  # noqa: E402
from transputer.ir.soft import parse  # noqa: E402
from transputer.isa.ports import PORTS, WINDOW  # noqa: E402
from transputer.machines.soft.bits import to_bits, to_numbers  # noqa: E402
from transputer.machines.soft.config import Config  # noqa: E402
from transputer.machines.soft.devices import (  # noqa: E402
    bus,
    cache,
    content,
    disk,
    gpu,
    paging,
    ports,
    rings,
    screen,
    wired,
)
from transputer.machines.soft.devices.board import Board, Outcome  # noqa: E402
from transputer.machines.soft.devices.sizes import Sizes  # noqa: E402
from transputer.machines.soft.program import certain, choose  # noqa: E402
from transputer.machines.soft.state import blank, soften  # noqa: E402

ZERO, WARM = jnp.float32(0), jnp.float32(0.5)
W = 8
SMALL = Sizes(ram=1024, lines=4, sectors=16, sector=32, resident=2, table=2, offset=4, entries=2,
              gpu=64, side=4, height=5, width=7, ring=3)  # fmt: skip


def bits(numbers: object, width: int = W) -> jax.Array:
    return to_bits(np.asarray(numbers, np.uint32), width)


def same(soft: object, hard: object) -> None:
    """Bits that are exactly 0 or 1, and the integers they stand for."""
    got = np.asarray(soft)
    assert set(np.unique(got)) <= {0.0, 1.0}
    assert np.asarray(to_numbers(got)).tolist() == np.asarray(hard).tolist()


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


@pytest.mark.slow
def test_content_addressing() -> None:
    cells = np.array([3, 12, 5, 12], np.uint32)
    for key in range(32):
        wanted = int(content.hard_match(cells, jnp.uint32(key)))
        found = content.match(bits(cells), bits(key), ZERO)
        assert found.tolist() == [float(i == wanted) for i in range(4)]
        same(content.read(bits(cells), found), cells[wanted])
        erase, add = np.uint32(0b1100), np.uint32(key)
        changed = content.write(bits(cells), found, bits(erase), bits(add))
        same(changed, content.hard_write(jnp.asarray(cells), wanted, erase, add))
    warm = content.match(bits(cells), bits(12), WARM)
    assert float(warm[1]) == float(warm[3]) > float(warm[2]) > 0


@pytest.mark.slow
def test_the_cache_soft_and_hard(rng: np.random.Generator) -> None:
    hard = cache.blank(4)
    soft = cache.Cache(bits(hard.tags), bits(hard.words), np.zeros(4, np.float32), np.zeros(4))
    soft_access, hard_access = jax.jit(cache.access), jax.jit(cache.hard_access)
    memory = rng.integers(0, 256, 8, dtype=np.uint32)
    hits = 0
    for _ in range(200):
        address, writes = np.uint32(rng.integers(8)), bool(rng.integers(2))
        word = np.uint32(rng.integers(256))
        got, hit, hard = hard_access(hard, address, memory[address], writes, word)
        bit, chance, soft = soft_access(
            soft, bits(address), bits(memory[address]), float(writes), bits(word), ZERO
        )
        if writes:
            memory[address] = word
        assert int(got) == memory[address]  # the cache never shows anything but memory
        same(bit, got)
        assert float(chance) == float(hit)
        same(soft.tags, hard.tags)
        same(soft.words, hard.words)
        assert np.array_equal(soft.used, hard.used) and np.array_equal(soft.age, hard.age)
        hits += int(hit)
    assert 40 < hits < 160


def test_the_cache_gives_up_what_was_used_longest_ago() -> None:
    access = jax.jit(cache.hard_access)
    held = cache.blank(2)
    seen = []
    for address in (1, 2, 1, 3, 1, 2):  # 3 takes the line of 2, the last 2 that of 3
        _, hit, held = access(held, np.uint32(address), np.uint32(0), False, np.uint32(0))
        seen.append(bool(hit))
    assert seen == [False, False, True, False, True, False]
    assert sorted(np.asarray(held.tags).tolist()) == [1, 2]


@pytest.mark.slow
@pytest.mark.usefixtures("unoptimised")
def test_a_warm_cache_is_undecided_and_has_a_slope() -> None:
    soft = cache.Cache(bits([1, 2]), bits([10, 20]), np.ones(2), np.array([3.0, 4.0]))

    def kept(tau: object) -> object:
        return cache.access(soft, bits(5), bits(50), ZERO, bits(0), tau)[2].words[0] @ (
            2.0 ** jnp.arange(W)
        )

    value, slope = jax.jit(jax.value_and_grad(kept))(WARM)
    assert 10 < float(value) < 50
    assert float(slope) != 0


@pytest.mark.slow
def test_the_disk_soft_and_hard(rng: np.random.Generator) -> None:
    hard = disk.blank(3, 4)
    soft = disk.Disk(bits(hard.tags), bits(hard.sectors), np.zeros(3))
    overflowed = 0
    for _ in range(60):
        sector, words = np.uint32(rng.integers(5)), rng.integers(0, 256, 4, dtype=np.uint32)
        same(disk.load(soft, bits(sector)), disk.hard_load(hard, sector))
        hard, full = jax.jit(disk.hard_store)(hard, sector, words)
        soft, chance = jax.jit(disk.store)(soft, bits(sector), bits(words))
        assert float(chance) == float(full)
        same(soft.sectors, hard.sectors)
        same(soft.tags, hard.tags)
        if not full:
            assert np.asarray(disk.hard_load(hard, sector)).tolist() == words.tolist()
        overflowed += int(full)
    assert overflowed > 0


def tables(rng: np.random.Generator) -> np.ndarray:
    """Memory of 64 words with a first table at 8 and second ones anywhere, some missing."""
    memory = rng.integers(0, 256, 64, dtype=np.uint32)
    for k in range(4):
        memory[8 + k] = rng.integers(4, 15) * 4 * 2 + rng.integers(2)
    return memory


@pytest.mark.slow
def test_paging_soft_and_hard(rng: np.random.Generator) -> None:
    memory, hard = tables(rng), paging.blank(2)
    zeros = np.zeros(2, np.float32)
    soft = paging.Tlb(bits(hard.pages), bits(hard.frames), zeros, zeros)
    soft_do = jax.jit(partial(paging.translate, table=2, offset=3))
    hard_do = jax.jit(partial(paging.hard_translate, table=2, offset=3))
    faults = 0
    for _ in range(150):
        address = np.uint32(rng.integers(128))
        physical, fault, hard = hard_do(hard, memory, np.uint32(8), address)
        place, chance, soft = soft_do(soft, bits(memory), bits(8), bits(address), tau=ZERO)
        assert float(chance) == float(fault)
        if not fault:
            same(place, int(physical) & 0xFF)
        same(soft.pages, hard.pages)
        same(soft.frames, np.asarray(hard.frames) & 0xFF)
        assert np.array_equal(soft.age, hard.age)
        faults += int(fault)
    assert 0 < faults < 150


def test_two_levels_by_hand() -> None:
    memory = np.zeros(64, np.uint32)
    memory[8 + 1] = 20 * 2 + 1  # the first table's entry 1: a table at 20
    memory[20 + 2] = 5 * 2 + 1  # its entry 2: frame 5
    frame, fault = paging.hard_walk(memory, np.uint32(8), np.uint32(0b01_10_011), 2, 3)
    assert (int(frame), bool(fault)) == (5, False)
    assert bool(paging.hard_walk(memory, np.uint32(8), np.uint32(0b01_11_011), 2, 3)[1])


def test_the_bus_soft_and_hard(rng: np.random.Generator) -> None:
    waited = np.zeros(4, np.int32)
    for _ in range(100):
        asks = rng.random(4) < 0.5
        priority = rng.integers(0, 3, 4, dtype=np.int32)
        goes, after = jax.jit(bus.hard_grant)(asks, priority, waited)
        chances, softly = bus.grant(asks * 1.0, priority * 1.0, waited * 1.0, ZERO)
        assert chances.tolist() == [float(k == int(goes)) for k in range(4)]
        assert softly.tolist() == after.tolist()
        words = rng.integers(0, 256, 4, dtype=np.uint32)
        same(bus.carry(chances, bits(words)), words[goes] if asks.any() else 0)
        waited = np.asarray(after)
    warm, _ = bus.grant(jnp.ones(3), jnp.array([2.0, 1.0, 0.0]), jnp.zeros(3), WARM)
    assert warm[0] > warm[1] > warm[2] > 0 and float(warm.sum()) == pytest.approx(1)


def test_nobody_waits_for_ever() -> None:
    waited, went = np.zeros(2, np.int32), set()
    for _ in range(10):
        goes, waited = bus.hard_grant(np.array([True, True]), np.array([5, 0]), waited)
        went.add(int(goes))
    assert went == {0, 1}


def test_the_gpu_soft_and_hard(rng: np.random.Generator) -> None:
    hard_do, soft_do = (jax.jit(partial(f, side=4)) for f in (gpu.hard_work, gpu.work))
    for command in range(len(gpu.COMMANDS)):
        for _ in range(10):
            memory = rng.integers(-50, 50, 64, dtype=np.int32)
            m, k, n = (np.int32(x) for x in rng.integers(1, 5, 3))
            job = gpu.Job(*(np.int32(x) for x in rng.integers(0, 48, 3)), m, k, n)
            made = np.asarray(hard_do(memory, np.uint32(command), job))
            chances = np.eye(len(gpu.COMMANDS), dtype=np.float32)[command]
            assert np.array_equal(soft_do(memory.astype(np.float32), chances, job), made)
            assert made.tolist() == by_hand(memory.tolist(), gpu.COMMANDS[command], job)


def by_hand(memory: list[int], command: str, job: gpu.Job) -> list[int]:
    """The same with lists and loops."""
    a, b, out, m, k, n = (int(x) for x in (job.a, job.b, job.out, job.m, job.k, job.n))
    at = lambda base, i: memory[(base + i) % 64]  # noqa: E731
    made = {
        "matmul": [sum(at(a, i * k + x) * at(b, x * n + j) for x in range(k))
                   for i in range(m) for j in range(n)],
        "add": [at(a, i) + at(b, i) for i in range(m * n)],
        "relu": [max(at(a, i), 0) for i in range(m * n)],
        "copy": [at(a, i) for i in range(m * n)],
    }.get(command, [])  # fmt: skip
    after = list(memory)
    for i, word in enumerate(made):
        if out + i < 64:
            after[out + i] = word
    return after


@pytest.mark.slow
@pytest.mark.usefixtures("unoptimised")
def test_a_slope_goes_through_the_gpu() -> None:
    job = gpu.Job(*(np.int32(x) for x in (0, 4, 8, 2, 2, 2)))

    def total(chances: object, memory: object) -> object:
        return gpu.work(memory, chances, job, 4)[8:12].sum()

    chances = jax.nn.softmax(jnp.arange(5.0))
    by_chance, by_word = jax.jit(jax.grad(total, (0, 1)))(chances, jnp.arange(16.0))
    assert float(jnp.abs(by_chance).min()) > 0 and float(jnp.abs(by_word[:8]).min()) > 0


@pytest.mark.slow
def test_the_screen_soft_and_hard(rng: np.random.Generator) -> None:
    hard = screen.blank(5, 7)
    soft = hard.astype(np.float32)
    drawn = 0
    soft_point, hard_point = jax.jit(screen.point), jax.jit(screen.hard_point)
    for _ in range(60):
        x, y = np.uint32(rng.integers(12)), np.uint32(rng.integers(9))
        colour = np.uint32(rng.integers(1 << 24))
        before = np.asarray(hard)
        hard = hard_point(before, x, y, colour)
        soft = soft_point(soft, bits(x), bits(y), bits(colour, 24), jnp.float32(1))
        assert np.array_equal(soft, hard)
        drawn += not np.array_equal(before, hard)
    assert 0 < drawn < 60
    red = screen.hard_point(screen.blank(480, 640), np.uint32(639), np.uint32(479), np.uint32(0xFF))
    assert red.shape == (480, 640, 3) and red[479, 639].tolist() == [255, 0, 0]


@pytest.mark.slow
def test_rings_soft_and_hard(rng: np.random.Generator) -> None:
    hard = rings.blank(3)
    soft, model = rings.soften(hard, W), []
    for _ in range(200):
        if rng.integers(2):
            word = np.uint32(rng.integers(256))
            hard, soft = jax.jit(rings.hard_put)(hard, word), rings.put(soft, bits(word), 1.0)
            model = (model + [int(word)])[:3] if len(model) < 3 else model
        else:
            got, hard = jax.jit(rings.hard_take)(hard)
            bit, soft = rings.take(soft, 1.0)
            same(bit, int(got) & 0xFF)
            assert int(got) == (model.pop(0) if model else 0xFFFFFFFF)
        assert int(hard.count) == len(model)
        certain = rings.soften(hard, W)
        for left, right in zip(jax.tree.leaves(soft), jax.tree.leaves(certain), strict=True):
            assert np.array_equal(left, right)


def test_every_port_has_its_rules() -> None:
    for op in PORTS:
        taken, given = op.sig.split(":")
        assert (op.name in ports.writes.rules) == bool(taken), op.name
        assert (op.name in ports.reads.rules) == bool(given), op.name


def test_the_page_has_every_port() -> None:
    page = (Path(__file__).parents[3] / "docs" / "soft.md").read_text()
    for op in PORTS:
        taken, given = (len(part) for part in op.sig.split(":"))
        ways = ", ".join(["store"] * taken + ["load"] * given)
        assert f"| {op.code} | {op.name} | {ways} | {op.doc} |\n" in page


def port(name: str) -> int:
    return PORTS[name].code + WINDOW - (1 << 32)


def run(source: str, devices: ports.Devices | None = None, ram: object = ()) -> Outcome:
    return Board(parse(source), devices or ports.blank(SMALL), ram).run(5000)


def test_ports_answer_loads_and_stores() -> None:
    devices = ports.received(ports.blank(SMALL), "mouse", [0x010203])
    ended = run(f"LD R1, R15, {port('EVENTS')}\nLD R2, R15, {port('MOUSE')}\n"
                f"LD R3, R15, {port('MOUSE')}\nST R15, {port('SERIAL')}, R2\n"
                f"LD R4, R15, {port('SERIAL')}\nLD R5, R15, -1", devices)  # fmt: skip
    assert np.asarray(ended.state.registers)[1:6].tolist() == [1, 0x010203, 0xFFFFFFFF,
                                                               0xFFFFFFFF, 0]  # fmt: skip
    assert ended.devices.sent == (0x010203,)


def test_memory_is_found_by_content() -> None:
    ended = run(f"SET R1, 0xF0F0\nST R15, {port('MATCH')}, R1\nLD R2, R15, {port('MATCH')}",
                ram=[1, 2, 0xF0F1, 4])  # fmt: skip
    assert int(ended.state.registers[2]) == 2


def test_a_program_behind_its_pages() -> None:
    ram = np.zeros(1024, np.uint32)
    ram[512 + 0] = 520 * 2 + 1  # first table at 512: entry 0 is a table at 520
    ram[520 + 1] = 6 * 2 + 1  # page 1 is frame 6: addresses 16.. are at 96..
    ram[96 + 3] = 77
    ended = run(f"SET R1, 512\nST R15, {port('PAGES')}, R1\nLD R2, R15, 19\nST R15, 20, R2\n"
                "LD R3, R15, 20\nLD R4, R15, 5\nSET R5, 1", ram=ram)  # fmt: skip
    assert int(ended.state.registers[2]) == int(ended.state.registers[3]) == 77
    assert int(ended.state.memory[100]) == 77
    assert ended.fault == 5 and int(ended.state.registers[5]) == 0


def test_the_cache_counts() -> None:
    ended = run(f"LD R1, R15, 9\nLD R1, R15, 9\nST R15, 9, R1\nLD R2, R15, {port('HITS')}\n"
                f"LD R3, R15, {port('MISSES')}")  # fmt: skip
    assert np.asarray(ended.state.registers)[2:4].tolist() == [2, 1]


def test_bytes_go_through_the_cache() -> None:
    """A word that the cache holds has the byte that was stored to it, and so has memory."""
    ended = run(f"LD R1, R15, 9\nSET R2, 0xAB\nSTB R15, 37, R2\nLD R3, R15, 9\nLDB R4, R15, 37\n"
                f"ST R15, 9, R2\nLDB R5, R15, 36\nLD R6, R15, {port('HITS')}\n"
                f"LD R7, R15, {port('MISSES')}", ram=[0x11223344] * 10)  # fmt: skip
    assert np.asarray(ended.state.registers)[3:8].tolist() == [0x1122AB44, 0xAB, 0xAB, 5, 1]
    assert int(ended.state.memory[9]) == 0xAB


def test_bytes_are_behind_pages() -> None:
    ram = np.zeros(1024, np.uint32)
    ram[512], ram[520 + 1] = 520 * 2 + 1, 6 * 2 + 1  # addresses 16.. are at 96..
    ram[96 + 3] = 0x0201
    ended = run(f"SET R1, 512\nST R15, {port('PAGES')}, R1\nLDB R2, R15, {19 * 4 + 1}\n"
                f"STB R15, {20 * 4}, R2\nLDB R3, R15, 5", ram=ram)  # fmt: skip
    assert int(ended.state.registers[2]) == 2 and int(ended.state.memory[100]) == 2
    assert ended.fault == 1


def test_what_does_not_fit_is_refused() -> None:
    writes = "".join(
        f"SET R1, {sector}\nST R15, {port('DISK_SECTOR')}, R1\nSET R1, 2\n"
        f"ST R15, {port('DISK_GO')}, R1\nLD R1, R15, {port('BUSY')}\n" for sector in range(3)
    )  # fmt: skip
    with pytest.raises(CapacityError, match="2 sectors"):
        run(writes)
    with pytest.raises(StepLimitError):
        run("JMP 0")
    with pytest.raises(UsageError):
        replace(SMALL, sector=3)
    with pytest.raises(UsageError):
        run("HALT", ram=[0] * 2000)


@pytest.mark.slow
def test_the_example_multiplies_matrices_from_the_disk() -> None:
    """Everything expected here was worked out by hand."""
    source = (Path(__file__).parents[3] / "examples" / "soft" / "product.soft").read_text()
    left, right = (1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 0, -1, 0, 1, 0, 2, 0, -1)
    sector = np.frombuffer(struct.pack("<18i", *left, *right) + bytes(14 * 4), np.uint32)
    sizes = replace(SMALL, height=480, width=640, ring=64)
    devices = ports.received(ports.blank(sizes), "keyboard", [ord("A")])
    held, _ = disk.hard_store(jax.tree.map(jnp.asarray, devices.disk), np.uint32(3), sector)
    ended = run(source, replace(devices, disk=held))
    wanted = [[7, 2, 0], [16, 5, 0], [25, 8, 0]]
    assert ended.devices.sent == (63,)
    saved = np.asarray(disk.hard_load(ended.devices.disk, np.uint32(4)))
    assert saved.tolist() == [7, 2, 0, 16, 5, 0, 25, 8, 0] + [0] * 23
    picture = np.asarray(ended.devices.picture)
    assert picture[:3, :3, 0].tolist() == wanted
    assert picture[:3, :3, 1].tolist() == [[65] * 3] * 3
    assert int(picture.astype(int).sum()) == 63 + 9 * 65


EVERY_PORT = f"""
LD R1, R15, {port("KEYS")}\nLD R2, R15, {port("KEYBOARD")}\nLD R3, R15, {port("KEYBOARD")}
LD R9, R15, {port("KEYBOARD")}\nST R15, {port("SERIAL")}, R2\nST R15, {port("SCREEN_X")}, R2
ST R15, {port("SCREEN_Y")}, R3\nLD R4, R15, {port("SCREEN_X")}\nSET R5, 0x0A0B0C
ST R15, {port("SCREEN_GO")}, R5\nST R15, 3, R2\nLD R6, R15, 3\nSET R7, {port("SCREEN_X")}
STP R7, R3\nSTP R7, R2\nSTP R7, R3\nST R15, {port("SERIAL")}, R7\nLD R8, R15, {port("BUSY")}
LDP R10, R7\nLD R11, R15, {port("SERIAL")}\nLD R12, R15, {port("SCREEN_Y")}
"""


@pytest.mark.slow
def test_the_soft_step_with_devices_is_the_board() -> None:
    """At temperature 0: registers, memory, what was sent, and the picture."""
    code = parse(EVERY_PORT)
    config = Config(32, 16, len(code), 8, 1, 1, tuple({"HALT", *(i.op for i in code)}))
    first = soften(blank(config), config)
    state = wired.wired(first, np.array([2, 3], np.uint32), 4, 5, 7, 3)
    choice = choose(certain(code, config), ZERO)
    soft = jax.jit(lambda state: wired.run(choice, state, len(code)))(state)
    devices = ports.received(ports.blank(replace(SMALL, ram=8, sector=8)), "keyboard", [2, 3])
    ended = Board(code, devices).run()
    same(soft.machine.registers, ended.state.registers)
    same(soft.machine.memory, ended.state.memory)
    same(soft.sent, [*ended.devices.sent, 0, 0])
    assert len(ended.devices.sent) == 2 and soft.wrote.tolist() == [0, 0, 1, 0, 0]
    assert np.array_equal(soft.picture, ended.devices.picture) and np.asarray(soft.picture).any()


@pytest.mark.slow
def test_a_choice_between_devices_has_a_slope() -> None:
    """A store to the screen or to the serial line, as likely as the other: half of each."""
    address = bits([PORTS["SERIAL"].code + WINDOW, PORTS["SCREEN_X"].code + WINDOW], 32)
    code = parse("STP R0, R2")
    config = Config(32, 3, 1, 1, 1, 1, ("STP",))
    first = soften(blank(config), config)
    first = replace(first, registers=first.registers.at[:2].set(address).at[2].set(bits(5, 32)))
    state = wired.wired(first, np.zeros(0, np.uint32), 1, 2, 2, 1)

    def sent(share: jax.Array) -> jax.Array:
        choice = choose(certain(code, config), ZERO)
        choice = replace(choice, a=jnp.stack([share, 1 - share, 0 * share])[None])
        return wired.advance(choice, state).sent[0, 0]

    value, slope = jax.jit(jax.value_and_grad(sent))(jnp.float32(0.5))
    assert (float(value), float(slope)) == (0.5, 1.0)


def board(source: str, tmp_path: Path, **more: object) -> Result:
    """A program run from the door, with all devices."""
    program = tp.compile(source=source, kind="soft", machine="soft")
    return program.run(options={"board": str(tmp_path / "out.ppm")}, **more)


def test_the_example_types_and_draws(tmp_path: Path) -> None:
    """From the door: more keys than the ring buffer holds, all of them in order."""
    path = Path(__file__).parents[3] / "examples" / "soft" / "typewriter.soft"
    keys = [7, 479, 480, *range(100, 167)]
    typed = board(path.read_text(), tmp_path, stdin=" ".join(map(str, keys)).encode())
    assert [int(line) for line in typed.stdout.split()] == keys
    head, pixels = (tmp_path / "out.ppm").read_bytes().split(b"\n", 1)
    assert head == b"P6 640 480 255"
    picture = np.frombuffer(pixels, np.uint8).reshape(480, 640, 3)
    points = {(x, y): (y & 0xFF, y >> 8, 0) for x, y in enumerate(keys) if y < 480}
    drawn = {(x, y): tuple(picture[y, x].tolist()) for y, x in np.argwhere(picture.any(-1))}
    assert drawn == {place: colour for place, colour in points.items() if any(colour)}


def test_what_a_board_says(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no IN and OUT; .* KEYBOARD and SERIAL"):
        board("IN R0\nOUT R0", tmp_path)
    with pytest.raises(UsageError, match="hard, not on native"):
        board("HALT", tmp_path, engine="native")
    with pytest.raises(StepLimitError):
        board("JMP 0", tmp_path, max_steps=5)
    fault = board(f"SET R1, 512\nST R15, {port('PAGES')}, R1\nLD R2, R15, 7", tmp_path)
    assert fault.trap is Trap.MEMORY_OUT_OF_BOUNDS and "address 7" in fault.detail
    assert board(f"ADD R0, R0, R1\nST R15, {port('SERIAL')}, R0", tmp_path,
                 args=[3, 4]).stdout == b"7\n"  # fmt: skip
