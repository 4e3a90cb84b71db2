#include "base/freed_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace emberline {
namespace {

#if defined(__GLIBC__) && !defined(EMBERLINE_SANITIZED)

std::int64_t resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::int64_t kib = 0;
    if (word == "RssAnon:" && status >> kib) return kib;
  }
  return 0;
}

// A thread, as a load is one, leaves small blocks that stay among many that do not.
TEST(FreedMemory, OfAThreadThatEndedGoesBackToTheSystem) {
  constexpr std::size_t kBlocks = 256, kBytes = 1024, kPieces = 256;
  constexpr std::int64_t kFreedKib = kBlocks * kPieces * kBytes / 1024;
  std::vector<std::unique_ptr<char[]>> kept;
  kept.reserve(kPieces);
  std::thread([&kept] {
    std::vector<std::unique_ptr<char[]>> freed;
    for (std::size_t piece = 0; piece < kPieces; ++piece) {
      for (std::size_t block = 0; block < kBlocks; ++block) freed.push_back(std::make_unique<char[]>(kBytes));
      kept.push_back(std::make_unique<char[]>(kBytes));
    }
  }).join();
  const std::int64_t before = resident_kib();
  give_back_freed_memory();
  EXPECT_LT(resident_kib(), before - kFreedKib / 2);
  EXPECT_EQ(kept.size(), kPieces);
}

#endif

}  // namespace
}  // namespace emberline
