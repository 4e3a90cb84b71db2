#include "metal/token_traffic.h"

#include <cstddef>
#include <string>
#include <vector>

#include "device/metal/encoded_command.h"
#include "host/control.h"

namespace emberline {
namespace {

class TrafficCount {
 public:
  TrafficCount(std::vector<DispatchDescription> dispatches, std::uint32_t vocabulary)
      : dispatches_(std::move(dispatches)), logit_bytes_(4.0 * vocabulary) {}

  void add(const metal_sim::DispatchView& view) {
    const DispatchDescription& dispatch = dispatches_[next_++ % dispatches_.size()];
    const bool sampler = view.kernel.starts_with("gumbel"), argmax = view.kernel.starts_with("argmax");
    // What a command needs it needs once.
    if (sampler || argmax) {
      sum_.logit_rereads -= logit_bytes_;
    } else {
      sum_.activation_rereads -= static_cast<double>(dispatch.traffic.other);
    }
    for (const metal_sim::BoundBuffer& buffer : view.buffers) {
      if (buffer.label == nullptr) continue;
      const auto read = static_cast<double>(buffer.bytes_read);
      if (*buffer.label == "matrices") sum_.weights += read;
      if (*buffer.label == "pool") sum_.kv += read;
      if (*buffer.label != "memory") continue;
      if (sampler || argmax) {
        if (is_of_vocabulary(buffer.index, sampler)) sum_.logit_rereads += read;
      } else {
        sum_.activation_rereads += read + static_cast<double>(buffer.bytes_written);
      }
    }
  }

  TokenTraffic a_token(double steps) const {
    return {sum_.weights / steps, sum_.kv / steps, sum_.activation_rereads / steps,
            sum_.logit_rereads / steps};
  }

 private:
  static bool is_of_vocabulary(std::uint32_t index, bool sampler) {
    const auto slot = static_cast<int>(index - metal::kFirstSlotIndex);
    return sampler ? slot == slot::Gumbel::kLogits || slot == slot::Gumbel::kScores
                   : slot == slot::Argmax::kLogits;
  }

  const std::vector<DispatchDescription> dispatches_;
  const double logit_bytes_;
  std::size_t next_ = 0;
  TokenTraffic sum_;
};

}  // namespace

TokenTraffic traffic_of(const testing::ToyPass& pass, bool sampled, std::uint32_t steps,
                        const std::function<void()>& run) {
  TrafficCount count(testing::take(pass.pass->describe(1, sampled)), pass.hyperparameters.vocabulary);
  metal_sim::set_after_dispatch([&](const metal_sim::DispatchView& view) { count.add(view); });
  run();
  metal_sim::set_after_dispatch({});
  return count.a_token(steps);
}

}  // namespace emberline
