// The tokens of one session by their positions, on the device: what the embedding reads, where a chain puts
// what it chooses, and what a sampler looks back at.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "device/device.h"
#include "model/device_buffer.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

class TokenHistory {
 public:
  // For positions 0 to `context`, the last of which can be chosen and not evaluated. OUT_OF_MEMORY. `device`
  // outlives it.
  static Result<TokenHistory> create(Device& device, std::uint32_t context);
  // One with the same contents. OUT_OF_MEMORY.
  Result<TokenHistory> fork() const;

  Status write(std::uint32_t position, std::span<const TokenId> tokens);
  // What a device chose for the positions from `position` on; both spans have one length.
  Status read_chosen(std::uint32_t position, std::span<TokenId> tokens, std::span<float> log_probs) const;

  // What the ops are bound to.
  Binding tokens() const { return tokens_.at(); }
  Binding log_probs() const { return log_probs_.at(); }

 private:
  TokenHistory(Device& device, std::uint32_t context) : device_(&device), context_(context) {}

  Device* device_;
  std::uint32_t context_;
  DeviceBuffer tokens_;     // [at least context + 1] u32
  DeviceBuffer log_probs_;  // [at least context + 1] f32
};

}  // namespace emberline
