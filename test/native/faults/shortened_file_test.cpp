// A model file that becomes shorter while it loads: an error with a code, or a model that is right.
#include <gtest/gtest.h>

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
  const auto before = std::chrono::steady_clock::now();
  const std::vector<TokenId> expected = said_by(take(Model::load(options)));
  const std::chrono::duration<double, std::micro> whole = std::chrono::steady_clock::now() - before;

  std::mt19937_64 random(seed);
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    std::filesystem::remove(options.path);
    ASSERT_TRUE(writer.write(options.path));
    const std::uint64_t left = random() % bytes;
    const auto moment = std::chrono::microseconds(random() % (1 + static_cast<std::uint64_t>(whole.count())));
    std::atomic<bool> begun = false;
    std::thread other([&] {
      begun.wait(false);
      const auto at = std::chrono::steady_clock::now() + moment;
      while (std::chrono::steady_clock::now() < at) std::this_thread::yield();
      std::filesystem::resize_file(options.path, left);
    });
    begun = true;
    begun.notify_one();
    const Result<std::shared_ptr<Model>> model = Model::load(options);
    other.join();
    if (model.ok()) {
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
