#include "base/read_bandwidth.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "base/prefetch.h"

namespace emberline {

namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;
constexpr std::size_t kLine = 64;
// Streams that one thread reads at once: more of them keep more prefetchers at work.
constexpr std::size_t kStreams = 4;
// Lines ahead that are asked for; two pages of 4 KiB at most.
constexpr std::size_t kAhead = 32 * kLine;
constexpr int kPasses = 9;

// Eight words of a line into eight sums; a compiler makes vector loads of it.
void add_line(const std::uint8_t* line, std::uint64_t (&sums)[8]) {
  std::uint64_t words[8];
  std::memcpy(words, line, kLine);
  for (int i = 0; i < 8; ++i) sums[i] += words[i];
}

std::uint64_t read_all(const std::uint8_t* data, std::size_t bytes) {
  std::uint64_t sums[8] = {};
  const std::size_t stream = bytes / kStreams / kLine * kLine;
  for (std::size_t at = 0; at < stream; at += kLine) {
    for (std::size_t s = 0; s < kStreams; ++s) {
      prefetch(data + s * stream + at + kAhead);
      add_line(data + s * stream + at, sums);
    }
  }
  std::uint64_t total = 0;
  for (const std::uint64_t sum : sums) total += sum;
  return total;
}

}  // namespace

double read_bandwidth(ThreadPool& pool, std::size_t bytes) {
  const std::size_t share =
      bytes / static_cast<std::size_t>(pool.threads()) / (kStreams * kLine) * (kStreams * kLine);
  std::unique_ptr<std::uint8_t[]> memory(new (std::nothrow) std::uint8_t[bytes + kPage]);
  if (memory == nullptr || share == 0) return 0;
  const std::size_t into_page = reinterpret_cast<std::uintptr_t>(memory.get()) % kPage;
  std::uint8_t* const data = memory.get() + (kPage - into_page) % kPage;
#if defined(__linux__)
  madvise(data, bytes, MADV_HUGEPAGE);
#endif
  std::atomic<std::uint64_t> sink{0};
  auto fill = [&](int worker) { std::memset(data + static_cast<std::size_t>(worker) * share, 1, share); };
  auto read = [&](int worker) { sink += read_all(data + static_cast<std::size_t>(worker) * share, share); };
  pool.run(fill);
  double best = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto begin = std::chrono::steady_clock::now();
    pool.run(read);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best = std::max(best, static_cast<double>(share) * pool.threads() / seconds);
  }
  return best;
}

}  // namespace emberline
