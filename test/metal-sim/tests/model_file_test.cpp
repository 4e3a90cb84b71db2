// A model whose file the GPU reads in place, and what becomes of it where the file changes meanwhile.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/model_impl.h"
#include "engine/session.h"
#include "model_file_fixture.h"

namespace emberline::testing {
namespace {

class MetalModelFile : public ModelFileOnMac {
 protected:
  MetalModelFile() {
    // So that what is written now has another time, however coarse the clock of files is.
    std::filesystem::last_write_time(options_.path,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    model_ = take(load("metal"));
    EXPECT_NE(model_->impl().file, nullptr) << "the GPU has a copy; the tests show nothing";
    session_ = take(Session::create(model_, 64));
    said_ = take(session_->complete(request())).ids;
    EXPECT_FALSE(said_.empty());
  }
  static CompletionRequest request() {
    CompletionRequest request;
    request.prompt = "x = 1";
    request.max_tokens = 4;
    request.single_line = false;
    return request;
  }
  void expect_refused() {
    EXPECT_EQ(session_->complete(request()).code(), ErrorCode::kDeviceFailed);
    const TokenId ids[] = {1};
    EXPECT_EQ(session_->logits(ids, nullptr).code(), ErrorCode::kDeviceFailed);
  }

  std::shared_ptr<Model> model_;
  std::unique_ptr<Session> session_;
  std::vector<TokenId> said_;
};

TEST_F(MetalModelFile, ThatIsShortenedIsAnErrorUntilTheModelIsLoadedAgain) {
  std::filesystem::resize_file(options_.path, std::filesystem::file_size(options_.path) / 2);
  metal_sim::clear_counts();
  expect_refused();
  EXPECT_EQ(metal_sim::counts().traffic_of("matrices").bytes_read, 0u) << "beyond the file's end";
  write(gpu_toy(TensorType::kQ4_0));
  model_ = take(load("metal"));
  session_ = take(Session::create(model_, 64));
  EXPECT_EQ(take(session_->complete(request())).ids, said_);
}

TEST_F(MetalModelFile, ThatIsWrittenToIsAnError) {
  std::fstream(options_.path, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(-1, std::ios::end)
      .put(1);
  expect_refused();
}

TEST_F(MetalModelFile, ThatIsReplacedOrRemovedIsStillTheOneThatWasLoaded) {
  const std::string other = folder_.file("other");
  std::ofstream(other) << "another file";
  std::filesystem::rename(other, options_.path);
  EXPECT_EQ(take(session_->complete(request())).ids, said_);
  std::filesystem::remove(options_.path);
  EXPECT_EQ(take(session_->complete(request())).ids, said_);
}

}  // namespace
}  // namespace emberline::testing
