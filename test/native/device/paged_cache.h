// A KV cache of one layer for the ops' tests: its pages lie in reverse order, and unused ones between them.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "device/ops.h"
#include "device/table_harness.h"

namespace emberline::testing {

struct TestHeads {
  std::uint32_t query_heads, kv_heads, width, rotary;

  std::size_t q_width() const { return std::size_t{query_heads} * width; }
  std::size_t kv_width() const { return std::size_t{kv_heads} * width; }
};

// As AttentionParams.
struct TestScores {
  std::uint32_t window = 0;
  float cap = 0.0f;
};

class PagedCache {
 public:
  PagedCache(TableHarness& memory, const TestHeads& heads, std::uint32_t context, std::uint32_t type = kKvF16)
      : heads_(heads), context_(context), type_(type) {
    const std::uint32_t count = kv_page_count(context);
    for (std::uint32_t i = 0; i < count; ++i) ids_.push_back(2 * (count - 1 - i));
    plane_ = static_cast<std::uint32_t>(kv_page_bytes(heads.kv_heads, heads.width, type));
    planes_ = memory.zeros(std::size_t{stride()} * (2 * count - 1));
    pages_ = memory.words(ids_);
  }

  Binding keys() const { return planes_; }
  Binding values() const { return {planes_.buffer, planes_.offset + plane_}; }
  Binding pages() const { return pages_; }
  const std::vector<std::uint32_t>& ids() const { return ids_; }
  std::uint32_t stride() const { return 2 * plane_; }
  std::uint32_t type() const { return type_; }

  RopeKvWriteParams rope(std::uint32_t style, float theta, std::uint32_t position = 0) const {
    return {position, heads_.query_heads, heads_.kv_heads, heads_.width, heads_.rotary, style,
            theta,    context_,           stride(),        type_};
  }
  AttentionParams attention(float scale, const TestScores& scores = {}) const {
    return {0,        heads_.query_heads, heads_.kv_heads, heads_.width, scale,
            context_, stride(),           scores.window,   scores.cap,   type_};
  }
  RopeAttentionParams rope_attention(std::uint32_t style, float theta, float scale,
                                     const TestScores& scores = {}) const {
    return {0,     heads_.query_heads, heads_.kv_heads, heads_.width,  heads_.rotary, style, theta,
            scale, context_,           stride(),        scores.window, scores.cap,    type_};
  }

 private:
  TestHeads heads_;
  std::uint32_t context_, type_;
  std::uint32_t plane_ = 0;  // bytes of a page's keys, or values
  std::vector<std::uint32_t> ids_;
  Binding planes_, pages_;
};

}  // namespace emberline::testing
