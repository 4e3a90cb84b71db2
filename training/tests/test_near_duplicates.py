"""Near duplicates are found, and files that are not alike are left alone."""

from __future__ import annotations

import random

from training.corpus.near_duplicates import LINES, SIMILAR, Distinct, Forbidden, shingles, similarity


def a_program(seed: int, lines: int = 120) -> list[str]:
    """Lines as different as those of two programs: hardly any in common."""
    draw = random.Random(seed)
    return [f"    value_{draw.randrange(10**6)} = call_{draw.randrange(10**6)}(left, right)" for _ in range(lines)]


def changed(lines: list[str], every: int) -> list[str]:
    """Every n-th line is another one."""
    return [f"# another line {number}" if number % every == 0 else line for number, line in enumerate(lines)]


def text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def slow_similarity(one: list[str], other: list[str]) -> float:
    """The definition, with sets of tuples."""
    sets = [{tuple(lines[i : i + LINES]) for i in range(len(lines) - LINES + 1)} for lines in (one, other)]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def test_similarity_is_that_of_the_sets_of_line_tuples() -> None:
    base = a_program(1)
    for every in (5, 10, 20, 40, 1000):
        other = changed(base, every)
        assert similarity(shingles(text(base)), shingles(text(other))) == slow_similarity(base, other)


def test_indentation_and_blank_lines_do_not_count() -> None:
    base = a_program(2)
    spaced = [line for pair in ((f"\t{line.strip()}", "") for line in base) for line in pair]
    assert similarity(shingles(text(base)), shingles(text(spaced))) == 1.0


def test_a_changed_copy_is_not_kept() -> None:
    base = a_program(3)
    copy = changed(base, 40)
    assert slow_similarity(base, copy) > SIMILAR
    distinct = Distinct()
    assert distinct.offer(shingles(text(base)))
    assert not distinct.offer(shingles(text(copy)))


def test_programs_that_are_not_alike_are_all_kept() -> None:
    """The negative control: 300 different programs, and one that shares a third with another."""
    distinct = Distinct()
    programs = [a_program(seed) for seed in range(300)]
    assert all(distinct.offer(shingles(text(program))) for program in programs)
    third = programs[0][:60] + a_program(1000, 60)
    assert 0.2 < slow_similarity(programs[0], third) < SIMILAR
    assert distinct.offer(shingles(text(third)))


def test_the_bands_miss_hardly_any_pair_above_the_threshold() -> None:
    """Of 200 pairs of similarity 0.5 to 0.6 each band misses one with at most 0.875; together 200 * 0.875^42 = 0.73 are expected.

    More than 15 misses have a probability below 1e-9 (Poisson).
    """
    missed = 0
    for seed in range(200):
        base = a_program(seed, 200)
        copy = base[:140] + a_program(seed + 10_000, 60)
        assert SIMILAR <= slow_similarity(base, copy) <= 0.6
        distinct = Distinct()
        distinct.offer(shingles(text(base)))
        missed += distinct.offer(shingles(text(copy)))
    assert missed <= 15


def test_what_repeats_held_out_text_is_recognised() -> None:
    held_out = [a_program(seed) for seed in range(5)]
    forbidden = Forbidden(text(program) for program in held_out)
    assert forbidden.repeats(shingles(text(held_out[2])))
    # Half of one and half of another: similar to neither, contained in both together.
    pieced = held_out[0][:60] + held_out[1][60:]
    assert forbidden.repeats(shingles(text(pieced)))
    # A short excerpt is contained, though its similarity to the long file is small.
    assert forbidden.repeats(shingles(text(held_out[3][10:25])))


def test_other_text_does_not_repeat_it() -> None:
    forbidden = Forbidden(text(a_program(seed)) for seed in range(50))
    own = a_program(999)
    assert not forbidden.repeats(shingles(text(own)))
    # A quoted passage does not make a file a copy.
    assert not forbidden.repeats(shingles(text(own + a_program(7)[:20])))
    assert not Forbidden([]).repeats(shingles(text(own)))


def test_short_and_empty_texts() -> None:
    assert len(shingles("")) == 0
    assert len(shingles("one\ntwo\n")) == 1
    distinct = Distinct()
    assert distinct.offer(shingles("")) and distinct.offer(shingles(""))
    assert distinct.offer(shingles("one\ntwo\n"))
    assert not distinct.offer(shingles("one\n\n  two\n"))
