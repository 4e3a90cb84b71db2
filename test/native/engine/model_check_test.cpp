// What is refused before it is loaded: what has no room, and drafts that mean something else by their tokens.
#include "engine/model_check.h"

#include <gtest/gtest.h>

#include <string>

#include "device/ops.h"
#include "engine/memory_demand.h"
#include "toy_session.h"

namespace emberline::testing {
namespace {

constexpr std::uint64_t kGigabyte = 1'000'000'000;

// 4 GB of weights, and 256 MB for each page of keys and values.
const MemoryDemand kLarge{.weight_bytes = 4 * kGigabyte, .kv = {{1'000'000, 0}}, .context_length = 32'768};

TEST(MemoryDemand, GrowsByWholePagesUpToTheModelsContext) {
  EXPECT_EQ(kLarge.bytes(1), 4 * kGigabyte + std::uint64_t{kKvPagePositions} * 1'000'000);
  EXPECT_EQ(kLarge.bytes(kKvPagePositions), kLarge.bytes(1));
  EXPECT_EQ(kLarge.bytes(kKvPagePositions + 1),
            4 * kGigabyte + std::uint64_t{2 * kKvPagePositions} * 1'000'000);
  EXPECT_EQ(kLarge.bytes(1'000'000), kLarge.bytes(kLarge.context_length));
}

TEST(MemoryDemand, TheLargestContextFitsAndOneMoreDoesNot) {
  EXPECT_EQ(kLarge.largest_context(4 * kGigabyte), 0u);
  for (const std::uint64_t available : {5 * kGigabyte, 7 * kGigabyte, 30 * kGigabyte}) {
    const std::uint32_t largest = kLarge.largest_context(available);
    EXPECT_LE(kLarge.bytes(largest), available);
    EXPECT_GT(kLarge.bytes(largest + 1), available);
  }
  EXPECT_EQ(kLarge.largest_context(100 * kGigabyte), kLarge.context_length);
}

TEST(MemoryDemand, LoadingMayTakeMoreThanASession) {
  MemoryDemand unpacked = kLarge;
  unpacked.loading_bytes = 6 * kGigabyte;
  EXPECT_EQ(unpacked.bytes(1), 10 * kGigabyte);
  EXPECT_EQ(unpacked.bytes(kLarge.context_length), kLarge.bytes(kLarge.context_length));
  EXPECT_EQ(unpacked.largest_context(9 * kGigabyte), 0u);
  EXPECT_EQ(unpacked.largest_context(20 * kGigabyte), kLarge.largest_context(20 * kGigabyte));
  EXPECT_EQ(kLarge.with_draft(unpacked).loading_bytes, unpacked.loading_bytes);
}

TEST(MemoryDemand, IsRefusedWithTheContextThatWouldFit) {
  EXPECT_TRUE(check_memory(kLarge, 8'192, 13 * kGigabyte).ok());
  const Status refused = check_memory(kLarge, 8'192, 8 * kGigabyte);
  EXPECT_EQ(refused.code(), ErrorCode::kModelExceedsMemory);
  const std::string fits = std::to_string(kLarge.largest_context(8 * kGigabyte));
  EXPECT_NE(refused.message().find("at most " + fits + " tokens"), std::string::npos) << refused.message();
  const Status hopeless = check_memory(kLarge, 8'192, 1 * kGigabyte);
  EXPECT_EQ(hopeless.code(), ErrorCode::kModelExceedsMemory);
  EXPECT_NE(hopeless.message().find("choose a smaller model"), std::string::npos) << hopeless.message();
}

// A model file, and perhaps another as its draft model.
class ModelCheck : public ::testing::Test {
 protected:
  ModelOptions options_of(const ToyModel& toy) {
    ModelOptions options;
    options.path = directory_.file("toy.gguf");
    options.device = "cpu";
    EXPECT_TRUE(toy.writer().write(options.path));
    return options;
  }
  std::string draft_of(const ToyModel& toy) {
    const std::string path = directory_.file("draft.gguf");
    EXPECT_TRUE(toy.writer().write(path));
    return path;
  }

 private:
  TemporaryDirectory directory_;
};

TEST_F(ModelCheck, LoadsNothingThatHasNoRoom) {
  ModelOptions options = options_of({});
  options.context = 256;
  const auto loaded = take(Model::load(options));
  const std::uint64_t weights = loaded->info().held_bytes;
  EXPECT_GT(weights, 0u);
  options.available_memory = weights;
  EXPECT_EQ(Model::load(options).code(), ErrorCode::kModelExceedsMemory);
  EXPECT_EQ(check_model(options).code(), ErrorCode::kModelExceedsMemory);
  // Keys and values of four bytes a channel and layer, for a page of positions.
  const std::uint64_t page = std::uint64_t{kKvPagePositions} * 2 * 2 * 2 * 16 * 2;
  EXPECT_TRUE(check_model(options, page).ok());
  options.available_memory = weights + page;
  EXPECT_TRUE(Model::load(options).ok());
  options.available_memory = weights + page - 1;
  EXPECT_EQ(Model::load(options).code(), ErrorCode::kModelExceedsMemory);
}

TEST_F(ModelCheck, CountsTheDraftModel) {
  ModelOptions options = options_of({});
  options.available_memory = std::uint64_t{1} << 40;
  const std::uint64_t alone = take(Model::load(options))->info().held_bytes;
  options.draft_path = draft_of({});
  EXPECT_TRUE(check_model(options).ok());
  EXPECT_EQ(take(Model::load(options))->info().held_bytes, 2 * alone);
  options.available_memory = alone + alone / 2;
  EXPECT_EQ(check_model(options).code(), ErrorCode::kModelExceedsMemory);
  EXPECT_EQ(Model::load(options).code(), ErrorCode::kModelExceedsMemory);
}

TEST_F(ModelCheck, AModelIsLoadedWithoutADraftThatIsOptional) {
  ModelOptions options = options_of({});
  options.draft_path = draft_of({});
  options.draft_optional = true;
  EXPECT_EQ(take(Model::load(options))->info().draft, "toy");
  options.available_memory = take(Model::load(options))->info().held_bytes * 3 / 4;
  EXPECT_EQ(take(Model::load(options))->info().draft, "");
  EXPECT_TRUE(check_model(options).ok());
  options.available_memory.reset();
  ToyModel other;
  other.architecture = "unheard-of";
  options.draft_path = draft_of(other);
  EXPECT_EQ(take(Model::load(options))->info().draft, "");
  EXPECT_TRUE(check_model(options).ok());
  options.draft_optional = false;
  EXPECT_EQ(Model::load(options).code(), ErrorCode::kModelArchitectureUnsupported);
  EXPECT_EQ(check_model(options).code(), ErrorCode::kModelArchitectureUnsupported);
  options.draft_optional = true;
  options.path = options.draft_path;
  EXPECT_EQ(Model::load(options).code(), ErrorCode::kModelArchitectureUnsupported);
  EXPECT_EQ(check_model(options).code(), ErrorCode::kModelArchitectureUnsupported);
}

TEST_F(ModelCheck, RefusesWhatLoadingWouldRefuse) {
  ModelOptions options = options_of({});
  ToyModel other;
  other.end_tokens = false;
  options.draft_path = draft_of(other);
  EXPECT_EQ(check_model(options).code(), ErrorCode::kDraftTokenizerDiffers);
  EXPECT_EQ(check_model(options).message(), Model::load(options).error().message());
  other = {};
  other.architecture = "unheard-of";
  options.draft_path = draft_of(other);
  EXPECT_EQ(check_model(options).code(), ErrorCode::kModelArchitectureUnsupported);
  EXPECT_EQ(check_model(options).message(), Model::load(options).error().message());
}

}  // namespace
}  // namespace emberline::testing
