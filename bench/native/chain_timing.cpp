#include "chain_timing.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/stopwatch.h"

namespace emberline {

namespace {

// Of an odd number the median is one of them.
constexpr int kRepeats = 11;
// Steps of a submission of a chain that nothing stops.
constexpr std::uint32_t kChunk = 32;

// Milliseconds of one chain in chunks of at most `chunk` steps, two under way; `completed`: its steps.
Result<double> run_chain(ForwardPass& pass, TokenId first, const ChainRequest& request, std::uint32_t chunk,
                         std::uint32_t& completed) {
  const Stopwatch watch;
  Result<std::unique_ptr<Chain>> begun = pass.begin_chain(first, request);
  if (!begun.ok()) return begun.error();
  Chain& chain = *begun.value();
  completed = 0;
  const auto submit = [&]() -> Status {
    return chain.steps_left() == 0 ? Status() : chain.submit(std::min(chunk, chain.steps_left()));
  };
  Status status = submit();
  while (status.ok() && chain.under_way()) {
    status = submit();
    if (!status.ok()) break;
    const Result<ChainResult> result = chain.wait();
    if (!result.ok()) return result.error();
    completed += result.value().outcome.steps_completed;
  }
  if (!status.ok()) return status;
  return watch.milliseconds();
}

// Of runs that must complete `expected` steps each.
Result<double> median_of(ForwardPass& pass, TokenId first, const ChainRequest& request, std::uint32_t chunk,
                         std::uint32_t expected) {
  std::vector<double> times;
  for (int repeat = -1; repeat < kRepeats; ++repeat) {  // the first one warms up
    std::uint32_t completed = 0;
    const Result<double> ms = run_chain(pass, first, request, chunk, completed);
    if (!ms.ok()) return ms;
    if (completed != expected) {
      return Status(ErrorCode::kInternal, "A chain completed " + std::to_string(completed) + " steps, not " +
                                              std::to_string(expected) + ".");
    }
    if (repeat >= 0) times.push_back(ms.value());
  }
  std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
  return times[kRepeats / 2];
}

}  // namespace

Result<double> time_chain(ForwardPass& pass, TokenId first, std::uint32_t position, std::uint32_t steps) {
  ChainRequest request;
  request.position = position;
  request.steps = steps;
  return median_of(pass, first, request, kChunk, steps);
}

Result<double> time_behind_stop(ForwardPass& pass, TokenId first, std::uint32_t position, std::uint32_t steps,
                                std::uint32_t vocabulary) {
  const std::vector<std::uint64_t> every_token(vocabulary / 64 + 1, ~std::uint64_t{0});
  ChainRequest request;
  request.position = position;
  request.stop = StopSet{every_token};
  const Result<double> one = median_of(pass, first, request, 1, 1);
  if (!one.ok()) return one;
  request.steps = steps;
  const Result<double> all = median_of(pass, first, request, steps, 1);
  if (!all.ok()) return all;
  return all.value() - one.value();
}

}  // namespace emberline
