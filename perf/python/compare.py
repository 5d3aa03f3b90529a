#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the Python package beside NetworkX, SciPy and plain Python, on the same input in one run.

    build/openmp/bin/taper-python perf/python/compare.py [--scale 1.0]

Answers are compared: exact ones must be equal, and others no better. Prints a table in Markdown.
Needs NetworkX and SciPy. A time is the least of five calls, or of those that begin within two seconds.
"""

import argparse
import itertools
import random
import time

import networkx
import numpy
import scipy.sparse
import taper


def deferred_acceptance(residents, hospitals, seats):
    """Gale and Shapley's algorithm in plain Python: residents propose."""
    places = [{resident: place for place, resident in enumerate(choices)} for choices in hospitals]
    held = [[] for _ in hospitals]
    next_choice = [0] * len(residents)
    free = list(range(len(residents)))
    while free:
        resident = free.pop()
        choices = residents[resident]
        while next_choice[resident] < len(choices):
            hospital = choices[next_choice[resident]]
            next_choice[resident] += 1
            if resident not in places[hospital]:
                continue
            members, place = held[hospital], places[hospital]
            members.append(resident)
            if len(members) <= seats[hospital]:
                break
            worst = max(members, key=place.__getitem__)
            members.remove(worst)
            if worst != resident:
                free.append(worst)
                break
    partner_of = [-1] * len(residents)
    for hospital, members in enumerate(held):
        for resident in members:
            partner_of[resident] = hospital
    return partner_of


def timed(call):
    """The result of a call, and the least seconds of some calls."""
    times = []
    while len(times) < 5 and sum(times) < 2:
        begin = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - begin)
    return result, min(times)


def row(problem, name, seconds, answer):
    print(f"| {problem} | {name} | {seconds:.3g} s | {answer} |", flush=True)


def complete_market(n):
    market = taper.generate("market", "uniform", n)
    lists = [table.tolist() for table in (market.first, market.second)]
    problem = f"stable marriage, n = {n:,}, uniform"
    plain, seconds = timed(lambda: deferred_acceptance(*lists, [1] * n))
    row(problem, "plain Python, lists of lists", seconds, "stable")
    for name, arguments in (
        ("taper.match, lists of lists", lists),
        ("taper.match, arrays", (market.first, market.second)),
    ):
        matching, seconds = timed(lambda: taper.match(*arguments))
        assert matching.partner_of.tolist() == plain
        row(problem, name, seconds, "the same")


def short_lists(residents):
    hospitals = residents // 10
    market = taper.generate(
        "hospitals",
        "uniform",
        residents=residents,
        hospitals=hospitals,
        seats=residents,
        list_length=10,
    )
    owners = numpy.repeat(numpy.arange(residents), numpy.diff(market.offsets))
    order = numpy.lexsort((market.keys, market.hospitals))
    bounds = numpy.searchsorted(market.hospitals[order], numpy.arange(hospitals + 1))
    lists = numpy.split(market.hospitals, market.offsets[1:-1]), numpy.split(
        owners[order], bounds[1:-1]
    )
    first, second = ([row.tolist() for row in side] for side in lists)
    problem = f"hospitals and residents, {residents:,} residents, lists of 10"
    plain, seconds = timed(lambda: deferred_acceptance(first, second, market.seats.tolist()))
    row(
        problem, "plain Python, lists of lists", seconds, f"{sum(p >= 0 for p in plain):,} assigned"
    )
    names = [
        {str(i): [str(j) for j in row] for i, row in enumerate(side)} for side in (first, second)
    ]
    capacities = dict(zip(names[1], market.seats.tolist()))
    for name, call in (
        ("taper.match, names", lambda: taper.match(*names, capacities=capacities)),
        ("taper.match, CSR arrays", lambda: taper.match(market)),
    ):
        matching, seconds = timed(call)
        assert matching.partner_of.tolist() == plain
        row(problem, name, seconds, "the same")
    graph = scipy.sparse.csr_matrix(
        (numpy.ones(len(owners)), (owners, market.hospitals)), (residents, hospitals)
    )
    one_seat = taper.Market(
        market.offsets, market.hospitals, market.keys, numpy.ones(hospitals, numpy.uint32)
    )
    problem = f"the same with one seat per hospital"
    largest, seconds = timed(
        lambda: scipy.sparse.csgraph.maximum_bipartite_matching(graph, "column")
    )
    size = int((largest >= 0).sum())
    row(
        problem,
        "SciPy maximum_bipartite_matching",
        seconds,
        f"{size:,} pairs, the most; not stable",
    )
    matching, seconds = timed(lambda: taper.match(one_seat))
    assert len(matching) <= size
    row(problem, "taper.match, CSR arrays", seconds, f"{len(matching):,} pairs; stable")


def covers(n, degree):
    graph = networkx.gnm_random_graph(n, n * degree // 2, seed=1)
    problem = f"vertex cover, random graph, {n:,} vertices, degree {degree}"
    cover, seconds = timed(lambda: taper.vertex_cover(graph))
    assert cover.is_minimum and all(
        u in set(cover) or v in set(cover) for u, v in itertools.islice(graph.edges, 100)
    )
    least = cover.size
    results = [("taper.vertex_cover", seconds, f"{least:,}, the minimum")]
    found, seconds = timed(
        lambda: networkx.algorithms.approximation.min_weighted_vertex_cover(graph)
    )
    assert len(found) >= least
    results.append(("NetworkX min_weighted_vertex_cover", seconds, f"{len(found):,}"))
    found, seconds = timed(lambda: networkx.maximal_independent_set(graph, seed=1))
    assert n - len(found) >= least
    results.append(
        ("NetworkX maximal_independent_set, its complement", seconds, f"{n - len(found):,}")
    )
    return problem, graph, least, results


def exact_cover(n, degree):
    problem, graph, least, results = covers(n, degree)
    clique, seconds = timed(
        lambda: networkx.max_weight_clique(networkx.complement(graph), weight=None)
    )
    assert n - clique[1] == least
    results.append(
        ("NetworkX max_weight_clique of the complement", seconds, f"{n - clique[1]:,}, the minimum")
    )
    for result in results:
        row(problem, *result)


def large_cover(n, degree):
    problem, _, _, results = covers(n, degree)
    for result in results:
        row(problem, *result)


def cliques(n, density):
    graph = networkx.gnp_random_graph(n, density, seed=1)
    draw = random.Random(1)
    networkx.set_node_attributes(graph, {v: draw.randint(1, 100) for v in graph}, "weight")
    problem = f"clique of maximum weight, {n:,} vertices, density {density}"
    clique, seconds = timed(lambda: taper.clique(graph, "weight"))
    assert clique.is_maximum
    row(problem, "taper.clique", seconds, f"{clique.weight:,}, the maximum")
    theirs, seconds = timed(lambda: networkx.max_weight_clique(graph, "weight"))
    assert theirs[1] == clique.weight
    row(problem, "NetworkX max_weight_clique", seconds, f"{theirs[1]:,}, the maximum")
    problem = "its maximal cliques"
    found, seconds = timed(lambda: taper.maximal_cliques(graph))
    row(problem, "taper.maximal_cliques", seconds, f"{found.count:,}")
    listed, seconds = timed(lambda: list(networkx.find_cliques(graph)))
    assert len(listed) == found.count
    row(problem, "NetworkX find_cliques", seconds, f"{len(listed):,}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale", type=float, default=1.0, help="of all sizes (default: 1)")
    scale = parser.parse_args().scale
    about = taper.info()
    print(
        f"taper {about['taper_version']}, {about['backends'][0][1]}, NetworkX {networkx.__version__}, "
        f"SciPy {scipy.__version__}, {about['date_utc']}\n"
    )
    print("| problem | program | time | answer |\n|---|---|---|---|")
    complete_market(max(2, int(2000 * scale)))
    short_lists(max(20, int(100_000 * scale)))
    exact_cover(max(4, int(120 * scale)), 10)
    large_cover(max(20, int(5_000 * scale)), 3)
    cliques(max(10, int(150 * scale)), 0.5)


if __name__ == "__main__":
    main()
