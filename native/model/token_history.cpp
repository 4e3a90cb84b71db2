#include "model/token_history.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "model/scratch.h"

namespace emberline {

Result<TokenHistory> TokenHistory::create(Device& device, std::uint32_t context) {
  TokenHistory history(device, context);
  // Tables are checked for as many rows as they can have, however small the context is.
  const std::size_t entries = std::size_t{std::max(context, kPrefillRows)} + 1;
  for (DeviceBuffer* buffer : {&history.tokens_, &history.log_probs_}) {
    Result<DeviceBuffer> made = DeviceBuffer::allocate(device, entries * sizeof(TokenId));
    if (!made.ok()) return made.error();
    *buffer = std::move(made).value();
  }
  return history;
}

Result<TokenHistory> TokenHistory::fork() const {
  Result<TokenHistory> made = create(*device_, context_);
  if (!made.ok()) return made;
  const std::size_t bytes = (std::size_t{context_} + 1) * sizeof(TokenId);
  const Status copied = device_->copy(tokens_.id(), 0, made.value().tokens_.id(), 0, bytes);
  if (!copied.ok()) return copied;
  return made;
}

Status TokenHistory::write(std::uint32_t position, std::span<const TokenId> tokens) {
  return device_->write(tokens_.id(), position * sizeof(TokenId), tokens.data(), tokens.size_bytes());
}

Status TokenHistory::read_chosen(std::uint32_t position, std::span<TokenId> tokens,
                                 std::span<float> log_probs) const {
  const Status read =
      device_->read(tokens_.id(), position * sizeof(TokenId), tokens.data(), tokens.size_bytes());
  if (!read.ok()) return read;
  return device_->read(log_probs_.id(), position * sizeof(float), log_probs.data(), log_probs.size_bytes());
}

}  // namespace emberline
