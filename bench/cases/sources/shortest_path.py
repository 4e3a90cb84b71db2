"""Shortest paths in a weighted graph."""

import heapq
import math
from collections import defaultdict, deque


class Graph:
    def __init__(self, directed=False):
        self.directed = directed
        self.edges = defaultdict(dict)

    def add_edge(self, start, end, weight=1.0):
        if weight < 0:
            raise ValueError("weights must not be negative")
        self.edges[start][end] = weight
        if not self.directed:
            self.edges[end][start] = weight

    def remove_edge(self, start, end):
        del self.edges[start][end]
        if not self.directed:
            del self.edges[end][start]

    def neighbors(self, node):
        return self.edges[node].items()

    def nodes(self):
        result = set(self.edges)
        for targets in self.edges.values():
            result.update(targets)
        return result

    def degree(self, node):
        return len(self.edges[node])


def dijkstra(graph, source):
    distances = {node: math.inf for node in graph.nodes()}
    previous = {}
    distances[source] = 0.0
    queue = [(0.0, source)]
    while queue:
        distance, node = heapq.heappop(queue)
        if distance > distances[node]:
            continue
        for neighbor, weight in graph.neighbors(node):
            candidate = distance + weight
            if candidate < distances[neighbor]:
                distances[neighbor] = candidate
                previous[neighbor] = node
                heapq.heappush(queue, (candidate, neighbor))
    return distances, previous


def path_to(previous, target):
    path = [target]
    while target in previous:
        target = previous[target]
        path.append(target)
    path.reverse()
    return path


def breadth_first(graph, source):
    seen = {source}
    queue = deque([source])
    while queue:
        node = queue.popleft()
        yield node
        for neighbor, _ in graph.neighbors(node):
            if neighbor not in seen:
                seen.add(neighbor)
                queue.append(neighbor)


def connected_components(graph):
    remaining = graph.nodes()
    components = []
    while remaining:
        component = set(breadth_first(graph, next(iter(remaining))))
        components.append(component)
        remaining -= component
    return components
