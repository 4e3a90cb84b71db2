// Where a JSON string may go on with whatever stands for itself.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "grammar/regular/dfa.h"

namespace emberline::grammar {

// [states]: 1 where every character but quotes, backslashes and U+0000..U+001F leads to a state for which the
// same holds; `live(state)` says which states may be gone through.
std::vector<std::uint8_t> free_states(const Dfa& dfa, const std::function<bool(std::uint32_t)>& live);

}  // namespace emberline::grammar
