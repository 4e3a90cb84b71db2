// Any bytes as a JSON Schema: refused with a sentence, or a grammar along which texts can be followed that
// never lead to a place without a way on.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "grammar/automaton/state_space.h"
#include "grammar/grammar.h"
#include "time_limit.h"

namespace {

using namespace emberline::grammar;

constexpr int kMostSteps = 48;

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const emberline::testing::TimeLimit limit;
  const auto grammar = Grammar::from_schema({reinterpret_cast<const char*>(data), size}, {});
  if (!grammar.ok()) {
    require(!grammar.error().message().empty() && grammar.code() != emberline::ErrorCode::kInternal);
    return 0;
  }
  StateSpace space(grammar.value()->program(), {.bytes = 8u << 20});
  StateId state = space.start();
  if (state == kDead) return 0;  // nothing conforms
  std::uint32_t choice = 1;
  for (int step = 0; step < kMostSteps; ++step) {
    std::vector<unsigned char> ways;
    for (int byte = 0; byte < 256; ++byte) {
      if (space.step(state, static_cast<unsigned char>(byte)) != kDead)
        ways.push_back(static_cast<unsigned char>(byte));
    }
    if (!space.status().ok()) return 0;
    require(ways.empty() ? space.may_end(state) : space.may_go_on(state));
    if (ways.empty()) return 0;
    choice = choice * 1664525u + 1013904223u + (size > 0 ? data[static_cast<std::size_t>(step) % size] : 0u);
    state = space.step(state, ways[(choice >> 8) % ways.size()]);
  }
  return 0;
}
