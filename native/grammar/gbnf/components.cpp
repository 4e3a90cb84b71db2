#include "grammar/gbnf/components.h"

#include <algorithm>

#include "grammar/regular/dfa.h"

namespace emberline::grammar::gbnf {

std::vector<std::vector<std::uint32_t>> components(const Edges& edges, std::uint32_t start) {
  struct Visit {
    std::uint32_t at;
    std::size_t next = 0;  // edge to follow
  };
  std::vector<std::vector<std::uint32_t>> found;
  std::vector<std::uint32_t> index(edges.size(), kNone), low(edges.size(), 0), open;
  std::vector<bool> is_open(edges.size(), false);
  std::vector<Visit> visits;
  std::uint32_t visited = 0;
  const auto enter = [&](std::uint32_t at) {
    index[at] = low[at] = visited++;
    open.push_back(at);
    is_open[at] = true;
    visits.push_back({at});
  };
  enter(start);
  while (!visits.empty()) {
    Visit& visit = visits.back();
    const std::uint32_t at = visit.at;
    if (visit.next < edges[at].size()) {
      const std::uint32_t to = edges[at][visit.next++];
      if (index[to] == kNone) {
        enter(to);
      } else if (is_open[to]) {
        low[at] = std::min(low[at], index[to]);
      }
      continue;
    }
    visits.pop_back();
    if (!visits.empty()) low[visits.back().at] = std::min(low[visits.back().at], low[at]);
    if (low[at] != index[at]) continue;
    std::vector<std::uint32_t>& component = found.emplace_back();
    do {
      component.push_back(open.back());
      is_open[open.back()] = false;
      open.pop_back();
    } while (component.back() != at);
  }
  return found;
}

}  // namespace emberline::grammar::gbnf
