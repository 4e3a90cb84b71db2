// Any bytes as a regular expression: refused, or a minimal automaton over valid UTF-8 whose shortest text it
// accepts and whose complement does not, and the same again in JSON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/json_text.h"
#include "grammar/regular/minimise.h"
#include "grammar/regular/pattern.h"
#include "grammar/regular/shortest_text.h"
#include "time_limit.h"

namespace {

using namespace emberline::grammar;

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const emberline::testing::TimeLimit limit;
  const auto language = pattern_language({reinterpret_cast<const char*>(data), size});
  if (!language.ok()) {
    require(!language.error().message().empty());
    return 0;
  }
  const Dfa& dfa = language.value();
  require(dfa.next.size() == static_cast<std::size_t>(dfa.states()) * dfa.classes);
  require(dfa.states() <= kMostStates && dfa.next.size() <= kMostCells);
  require(minimised(dfa).next == dfa.next);
  const auto outside = difference(dfa, any_text());
  require(!outside.ok() || outside.value().empty());
  const auto text = testing::shortest(dfa);
  require(text.has_value() == !dfa.empty());
  const auto others = difference(any_text(), dfa);
  if (others.ok()) {
    const auto both = intersection(dfa, others.value());
    require(!both.ok() || both.value().empty());
    require(!text || others.value().match(*text) == 0);
  }
  const auto json = json_text(dfa, true);
  if (json.ok() && text) require(json.value().dfa.match(json_quoted(*text)) == dfa.match(*text));
  require(!text || dfa.match(*text) != 0);
  return 0;
}
