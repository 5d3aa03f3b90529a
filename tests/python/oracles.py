# SPDX-License-Identifier: Apache-2.0
"""Plain programs that the tests compare with. They share nothing with the package."""

import itertools
import random


def tied(lists):
    """{agent: [name or [names]]} with ties as {agent: {name: class}}."""
    ranks = {}
    for agent, choices in lists.items():
        ranks[agent] = {}
        for place, choice in enumerate(choices):
            for name in choice if isinstance(choice, (list, set)) else [choice]:
                ranks[agent][name] = place
    return ranks


def deferred_acceptance(residents, hospitals, seats):
    """The best stable matching for the residents, of strict lists; {resident: hospital or None}."""
    places = tied(hospitals)
    wishes = {r: [h for h in choices if r in places[h]] for r, choices in residents.items()}
    held = {h: [] for h in hospitals}
    free = list(residents)
    while free:
        resident = free.pop()
        if not wishes[resident]:
            continue
        hospital = wishes[resident].pop(0)
        held[hospital].append(resident)
        held[hospital].sort(key=places[hospital].get)
        if len(held[hospital]) > seats.get(hospital, 1):
            free.append(held[hospital].pop())
    assigned = {r: h for h, members in held.items() for r in members}
    return {r: assigned.get(r) for r in residents}


def hospitals_propose(residents, hospitals, seats):
    """The best stable matching for the hospitals, of strict lists."""
    wishes = {h: [r for r in choices if h in residents[r]] for h, choices in hospitals.items()}
    holder = dict.fromkeys(residents)
    room = {h: seats.get(h, 1) for h in hospitals}
    busy = True
    while busy:
        busy = False
        for hospital, choices in wishes.items():
            while room[hospital] > 0 and choices:
                busy = True
                resident = choices.pop(0)
                other = holder[resident]
                ranks = residents[resident]
                if other is None or ranks.index(hospital) < ranks.index(other):
                    if other is not None:
                        room[other] += 1
                    holder[resident] = hospital
                    room[hospital] -= 1
    return holder


def blocking_pairs(residents, hospitals, seats, matching):
    """All pairs that both strictly prefer each other to what they have."""
    wish, place = tied(residents), tied(hospitals)
    held = {h: [r for r in residents if matching[r] == h] for h in hospitals}
    pairs = []
    for resident in residents:
        for hospital, rank in wish[resident].items():
            if resident not in place[hospital] or seats.get(hospital, 1) == 0:
                continue
            has = matching[resident]
            wants = has is None or rank < wish[resident][has]
            members = held[hospital]
            has_room = len(members) < seats.get(hospital, 1)
            mine = place[hospital][resident]
            if wants and (has_room or any(mine < place[hospital][m] for m in members)):
                pairs.append((resident, hospital))
    return pairs


def all_stable(men, women):
    """All stable matchings of a one-to-one market, as dicts, by trying all matchings."""
    found = []
    pairs = [(m, w) for m, choices in men.items() for w in choices if m in women[w]]
    for size in range(min(len(men), len(women)) + 1):
        for chosen in itertools.combinations(pairs, size):
            if len({m for m, _ in chosen}) == size == len({w for _, w in chosen}):
                matching = {**dict.fromkeys(men), **dict(chosen)}
                if not blocking_pairs(men, women, {}, matching):
                    found.append(matching)
    return found


def stable_roommates(lists):
    """All stable matchings of roommates, each a dict, by trying all matchings."""
    agents = list(lists)

    def matchings(left):
        if not left:
            yield {}
            return
        first, rest = left[0], left[1:]
        for rest_matching in matchings(rest):
            yield {first: None, **rest_matching}
        for other in rest:
            if other in lists[first] and first in lists[other]:
                for more in matchings([agent for agent in rest if agent != other]):
                    yield {first: other, other: first, **more}

    def prefers(agent, other, matching):
        has = matching[agent]
        ranks = lists[agent]
        return other in ranks and (has is None or ranks.index(other) < ranks.index(has))

    return [
        matching
        for matching in matchings(agents)
        if not any(
            prefers(a, b, matching) and prefers(b, a, matching)
            for a, b in itertools.combinations(agents, 2)
        )
    ]


def minimum_cover_size(n, edges):
    """By trying all sets of vertices."""
    for size in range(n + 1):
        for chosen in itertools.combinations(range(n), size):
            members = set(chosen)
            if all(u in members or v in members for u, v in edges):
                return size
    raise AssertionError("all vertices are a cover")


def random_market(seed, residents=6, hospitals=4, chance=0.7, most_seats=2):
    """Strict lists of random lengths, consistent on both sides, and seats."""
    draw = random.Random(seed)
    pairs = [(r, h) for r in range(residents) for h in range(hospitals) if draw.random() < chance]
    first = {f"r{r}": [f"h{h}" for q, h in pairs if q == r] for r in range(residents)}
    second = {f"h{h}": [f"r{r}" for r, g in pairs if g == h] for h in range(hospitals)}
    for lists in (first, second):
        for choices in lists.values():
            draw.shuffle(choices)
    return first, second, {h: draw.randint(0, most_seats) for h in second}


def random_tables(seed, n):
    """Complete lists of both sides as lists of lists."""
    draw = random.Random(seed)
    return [[draw.sample(range(n), n) for _ in range(n)] for _ in range(2)]


def as_names(table):
    """A table as mappings from numbers."""
    return {agent: list(row) for agent, row in enumerate(table)}


def random_edges(seed, n, chance=0.4):
    draw = random.Random(seed)
    return [pair for pair in itertools.combinations(range(n), 2) if draw.random() < chance]


def pairs_of(vertices):
    return [frozenset(pair) for pair in itertools.combinations(vertices, 2)]


def other_edges(n, edges):
    """The edges of the complement."""
    adjacent = {frozenset(edge) for edge in edges}
    return [pair for pair in itertools.combinations(range(n), 2) if frozenset(pair) not in adjacent]


def all_cliques(n, edges):
    """All cliques, as sets, by trying all sets of vertices."""
    adjacent = {frozenset(edge) for edge in edges}
    return [
        set(chosen)
        for size in range(n + 1)
        for chosen in itertools.combinations(range(n), size)
        if all(pair in adjacent for pair in pairs_of(chosen))
    ]


def heaviest_clique(n, edges, weights):
    """The weight of a heaviest clique."""
    return max(sum(weights[v] for v in clique) for clique in all_cliques(n, edges))


def maximal_cliques(n, edges):
    """The cliques of which no other has all vertices, each sorted, in order."""
    cliques = all_cliques(n, edges)
    return sorted(tuple(sorted(c)) for c in cliques if not any(c < other for other in cliques))


def irving_leather_market(n):
    """Tables of a market of n men, a power of two, with more stable matchings than 2.28^n (Irving
    and Leather 1986)."""
    if n == 1:
        return [[0]], [[0]]
    men, women = irving_leather_market(n // 2)
    half = n // 2

    def joined(lists, first_is_low):
        low = [row + [other + half for other in row] for row in lists]
        high = [[other + half for other in row] + row for row in lists]
        return low + high if first_is_low else high + low

    return joined(men, True), joined(women, False)
