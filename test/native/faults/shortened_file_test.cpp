// A model file that becomes shorter while it loads: an error with a code, or a model that is right.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "engine/model.h"
#include "engine/session.h"
#include "take.h"
#include "temporary_directory.h"
#include "toy_model.h"

namespace emberline::testing {
namespace {

std::vector<TokenId> said_by(const std::shared_ptr<Model>& model) {
  CompletionRequest request;
  request.prompt = "x = 1";
  request.max_tokens = 8;
  request.single_line = false;
  return take(take(Session::create(model, 64))->complete(request)).ids;
}

void survive_shortening(int rounds, std::uint64_t seed) {
  ToyModel toy;
  toy.layers = 6;
  toy.width = 256;
  toy.hidden = 768;
  toy.head_width = 64;
  const GgufWriter writer = toy.writer();
  const TemporaryDirectory directory;
  ModelOptions options;
  options.path = directory.file("toy.gguf");
  options.device = "cpu";
  options.threads = 2;
  ASSERT_TRUE(writer.write(options.path));
  const auto bytes = std::filesystem::file_size(options.path);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const std::shared_ptr<Model> first = take(Model::load(options));
  Clock::duration shortest = Clock::now() - begin;  // of the loads that nothing was in the way of
  const std::vector<TokenId> expected = said_by(first);

  std::mt19937_64 random(seed);
  int refused = 0;
  // A busy machine may have been slow at the first load, and the moments come after those that follow.
  for (int round = 0; round < rounds || (refused == 0 && round < 100 * rounds); ++round) {
    std::filesystem::remove(options.path);
    ASSERT_TRUE(writer.write(options.path));
    const std::uint64_t left = random() % bytes;
    const Clock::duration moment(random() % (1 + static_cast<std::uint64_t>(shortest.count())));
    std::atomic<bool> begun = false;
    std::thread other([&] {
      begun.wait(false);
      const auto at = Clock::now() + moment;
      while (Clock::now() < at) std::this_thread::yield();
      std::filesystem::resize_file(options.path, left);
    });
    begun = true;
    begun.notify_one();
    const auto loading = Clock::now();
    const Result<std::shared_ptr<Model>> model = Model::load(options);
    const Clock::duration took = Clock::now() - loading;
    other.join();
    if (model.ok()) {
      shortest = std::min(shortest, took);
      EXPECT_EQ(said_by(model.value()), expected) << "round " << round;
    } else {
      ++refused;
      EXPECT_NE(model.code(), ErrorCode::kInternal) << model.error().message();
    }
  }
  EXPECT_GT(refused, 0) << "it was never in the way; the test shows nothing";
}

#if !defined(_WIN32)  // where a mapped file cannot be shortened
TEST(ShortenedFile, IsAnErrorOrARightModel) {
  survive_shortening(15, 1);
}
TEST(ShortenedFileDeep, IsAnErrorOrARightModel) {
  survive_shortening(600, 2);
}
#endif

}  // namespace
}  // namespace emberline::testing
