#include "faults/survey.h"

#include <utility>

#include "addon/guarded.h"

namespace emberline::testing {
namespace {

constexpr std::size_t kMostComplaints = 8;

void call(const std::function<void()>& function) {
  if (function) function();
}

std::string text_of(const Outcome& outcome) {
  if (outcome.ok()) return outcome.value();
  return std::string(code_name(outcome.code())) + ": " + outcome.error().message();
}

}  // namespace

Survey survey(const Work& work, std::uint64_t stride, Shortage shortage) {
  Survey made;
  const auto complain = [&](std::uint64_t number, const std::string& what) {
    made.complaints.push_back("allocation " + std::to_string(number) + ": " + what);
  };
  // With all memory, twice: the first fills what is kept for the life of the program.
  std::string expected, expected_afterwards;
  for (int round = 0; round < 2; ++round) {
    call(work.begin);
    expected = text_of(addon::guarded(work.attempt));
    expected_afterwards = text_of(addon::guarded(work.afterwards));
    call(work.end);
  }
  for (std::uint64_t number = 1; made.complaints.size() < kMostComplaints; number += stride) {
    const std::int64_t live_before = live_blocks();
    bool reached = false;
    {
      call(work.begin);
      const Outcome outcome = [&] {
        const FailingAllocations failing(number, shortage);
        Outcome attempted = addon::guarded(work.attempt);
        reached = failing.reached();
        return attempted;
      }();
      if (outcome.code() == ErrorCode::kOutOfMemory && reached) {
        ++made.refused;
      } else if (text_of(outcome) != expected) {
        complain(number, "gave \"" + text_of(outcome) + "\" in the place of \"" + expected + "\"");
      }
      const std::string after = text_of(addon::guarded(work.afterwards));
      if (after != expected_afterwards)
        complain(number, "left \"" + after + "\" behind in the place of \"" + expected_afterwards + "\"");
      call(work.end);
    }
    const std::int64_t lost = live_blocks() - live_before;
    if (made.complaints.empty() && lost > 0) complain(number, std::to_string(lost) + " blocks were lost");
    if (!reached) break;
    ++made.allocations;
  }
  return made;
}

}  // namespace emberline::testing
