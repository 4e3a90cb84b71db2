#include "device/metal/source_check.h"

#include <algorithm>

namespace emberline::metal {
namespace {

bool tokens_are_known(const TokenSource& source, const Replay& request, const HostWords& words) {
  const std::uint64_t first = source.patched ? request.position : source.position;
  for (std::uint64_t row = 0; row < request.rows; ++row) {
    if (words.word(source.tokens.buffer, source.tokens.offset + 4 * (first + row)) >= source.vocabulary)
      return false;
  }
  return true;
}

bool pages_are_usable(const PageSource& source, const Replay& request, const BufferExtents& buffers,
                      const HostWords& words) {
  const std::uint64_t positions = std::uint64_t{request.position} + request.rows + request.steps - 1;
  const std::uint64_t usable = buffers.extent(source.cache).usable;
  const std::uint64_t used = std::max(source.patched ? positions : 0, source.fixed_positions);
  const std::uint32_t pages = kv_page_count(static_cast<std::uint32_t>(used));
  for (std::uint64_t i = 0; i < pages; ++i) {
    const std::uint64_t page = words.word(source.pages.buffer, source.pages.offset + 4 * i);
    if (page * source.page_stride + source.page_end > usable) return false;
  }
  return true;
}

}  // namespace

Status check_sources(const ReplayLimits& limits, const Replay& request, const BufferExtents& buffers,
                     const HostWords& words) {
  for (const TokenSource& source : limits.tokens) {
    if (!request.continues && !tokens_are_known(source, request, words)) return unknown_token();
  }
  for (const PageSource& source : limits.pages) {
    if (!pages_are_usable(source, request, buffers, words)) return page_outside();
  }
  return Status();
}

}  // namespace emberline::metal
