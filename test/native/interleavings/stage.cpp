#include "interleavings/stage.h"

#include <filesystem>
#include <memory>

#include "take.h"
#include "toy_model.h"

// A copy is on the disk when it is written: a test need not wait for it.
#pragma GCC visibility push(default)
extern "C" int fsync(int) {
  return 0;
}
#pragma GCC visibility pop

namespace emberline::testing {
namespace {

constexpr std::uint64_t kEnoughMemory = std::uint64_t{1} << 30;

CompletionRequest request_of(std::string prompt, std::uint32_t tokens) {
  CompletionRequest request;
  request.prompt = std::move(prompt);
  request.max_tokens = tokens;
  request.single_line = false;
  return request;
}

}  // namespace

const Stage& Stage::get() {
  static const Stage stage;
  return stage;
}

Stage::Stage() {
  ToyModel toy;
  toy.layers = 1;
  toy.width = 32;
  toy.hidden = 32;
  toy.heads = 2;
  toy.kv_heads = 1;
  toy.context = kContext;
  toy.output_scale = 2;
  toy.end_tokens = false;
  EXPECT_TRUE(toy.writer().write(directory_.file("toy.gguf")));
  const std::shared_ptr<Model> model = take(Model::load(options(1)));
  expected_ = take(take(Session::create(model, kContext))->complete(short_request())).ids;
}

ModelOptions Stage::options(int threads) const {
  ModelOptions options;
  options.path = directory_.file("toy.gguf");
  options.device = "cpu";
  options.threads = threads;
  options.available_memory = kEnoughMemory;
  return options;
}

std::string Stage::empty_folder() const {
  const std::string folder = directory_.file("packed");
  std::filesystem::remove_all(folder);
  return folder;
}

CompletionRequest Stage::short_request() {
  return request_of("x = ", 4);
}

CompletionRequest Stage::long_request() {
  return request_of("def f(x):\n    return x", 24);
}

}  // namespace emberline::testing
