#include "model/token_history.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/try.h"
#include "model/scratch.h"

namespace emberline {

Result<TokenHistory> TokenHistory::create(Device& device, std::uint32_t context) {
  TokenHistory history(device, context);
  // Tables are checked for as many rows as they can have, however small the context is.
  const std::size_t entries = std::size_t{std::max(context, kPrefillRows)} + 1;
  for (DeviceBuffer* buffer : {&history.tokens_, &history.log_probs_}) {
    TRY_VALUE(DeviceBuffer made, DeviceBuffer::allocate(device, entries * sizeof(TokenId)));
    *buffer = std::move(made);
  }
  return history;
}

Result<TokenHistory> TokenHistory::fork() const {
  Result<TokenHistory> made = create(*device_, context_);
  if (!made.ok()) return made;
  const std::size_t bytes = (std::size_t{context_} + 1) * sizeof(TokenId);
  TRY(device_->copy(tokens_.id(), 0, made.value().tokens_.id(), 0, bytes));
  return made;
}

Status TokenHistory::write(std::uint32_t position, std::span<const TokenId> tokens) {
  return device_->write(tokens_.id(), position * sizeof(TokenId), tokens.data(), tokens.size_bytes());
}

Status TokenHistory::read_chosen(std::uint32_t position, std::span<TokenId> tokens,
                                 std::span<float> log_probs) const {
  TRY(device_->read(tokens_.id(), position * sizeof(TokenId), tokens.data(), tokens.size_bytes()));
  return device_->read(log_probs_.id(), position * sizeof(float), log_probs.data(), log_probs.size_bytes());
}

}  // namespace emberline
