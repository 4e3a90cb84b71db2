// After the first call with a vocabulary, sampling a token allocates nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <random>

#include "sampling/sampler.h"

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace emberline {
namespace {

TEST(SamplerAllocation, NothingAfterTheFirstToken) {
  std::mt19937_64 random(4);
  std::vector<float> logits(5000);
  for (float& logit : logits) logit = std::normal_distribution<float>(0, 2)(random);
  const std::vector<std::uint32_t> history(200, 3);
  const SamplingParams settings[] = {
      {.temperature = 0, .repeat_penalty = 1.2f},
      {.temperature = 1},
      {.temperature = 2, .top_p = 0.999f},
      {.temperature = 0.2f, .top_p = 0.95f},
      {.temperature = 1, .top_k = 4000},
      {.temperature = 1, .min_p = 0.001f},
      {.temperature = 1, .top_k = 40, .top_p = 0.9f, .min_p = 0.05f, .repeat_penalty = 1.1f}};
  Sampler sampler;
  Distribution law;
  const auto sample_all = [&] {
    bool ok = true;
    for (std::uint64_t position = 0; position < 20; ++position) {
      for (const auto& params : settings) {
        ok = ok && sampler.sample(logits, history, params, position).ok();
        ok = ok && sampler.distribution(logits, history, params, law).ok();
      }
    }
    return ok;
  };
  const long cold = allocations.load();
  ASSERT_TRUE(sampler.sample(logits, history, settings[0], 0).ok());
  ASSERT_TRUE(sampler.distribution(logits, history, settings[0], law).ok());
  EXPECT_GT(allocations.load(), cold) << "the count itself must work";

  const long warm = allocations.load();
  EXPECT_TRUE(sample_all());
  EXPECT_EQ(allocations.load(), warm);
}

}  // namespace
}  // namespace emberline
