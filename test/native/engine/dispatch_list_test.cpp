// What a model says of its dispatches.
#include "engine/dispatch_list.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "take.h"
#include "temporary_directory.h"
#include "token_bytes.h"
#include "toy_model.h"

namespace emberline::testing {
namespace {

// Rows of all its matrices are whole panels.
ToyModel toy_of(bool tied) {
  ToyModel toy;
  toy.type = toy.output_type = TensorType::kQ4_0;
  toy.layers = 3;
  toy.tied = tied;
  toy.padding_rows = (16 - toy.vocabulary() % 16) % 16;
  return toy;
}

class DispatchList : public ::testing::Test {
 protected:
  std::shared_ptr<Model> load(const ToyModel& toy) {
    ModelOptions options;
    options.path = directory_.file("toy.gguf");
    options.threads = 1;
    options.device = "cpu";
    EXPECT_TRUE(toy.writer().write(options.path));
    return take(Model::load(options));
  }
  std::uint64_t weight_bytes() {
    return weight_bytes_of_token(*take(GgufFile::open(directory_.file("toy.gguf"))));
  }

 private:
  TemporaryDirectory directory_;
};

CommandTraffic sum(const std::vector<DispatchDescription>& dispatches) {
  CommandTraffic sum;
  for (const DispatchDescription& dispatch : dispatches) {
    sum.weights += dispatch.traffic.weights;
    sum.kv += dispatch.traffic.kv;
    sum.other += dispatch.traffic.other;
  }
  return sum;
}

TEST_F(DispatchList, OfATokenReadsEachWeightOnce) {
  for (const bool tied : {true, false}) {
    const ToyModel toy = toy_of(tied);
    const auto model = load(toy);
    for (const bool sampled : {false, true}) {
      const CommandTraffic traffic = sum(take(list_dispatches(*model, 1, sampled)));
      EXPECT_EQ(traffic.weights, weight_bytes());
      EXPECT_EQ(traffic.kv, kv_bytes_of_position(toy.layers, toy.kv_heads, toy.head_width));
    }
  }
}

TEST_F(DispatchList, OfABatchReadsEachWeightOnceAndARowOfTheEmbeddingForEachToken) {
  const ToyModel toy = toy_of(true);
  const auto model = load(toy);
  const std::uint64_t row = toy.width / 32 * 18;
  for (const std::uint32_t rows : {2u, 16u, 17u, 64u}) {
    EXPECT_EQ(sum(take(list_dispatches(*model, rows, false))).weights, weight_bytes() + (rows - 1) * row)
        << rows;
  }
}

TEST_F(DispatchList, NamesEachCommand) {
  const auto model = load(toy_of(true));
  const std::vector<DispatchDescription> dispatches = take(list_dispatches(*model, 1, false));
  ASSERT_GT(dispatches.size(), 5u);
  const DispatchDescription& embedding = dispatches.front();
  EXPECT_EQ(embedding.label, "embedding");
  EXPECT_EQ(embedding.kernel, "embedding");
  EXPECT_EQ(embedding.patch, Patch::kTokenOffset);
  EXPECT_EQ(embedding.threadgroups, (std::array<std::uint32_t, 3>{1, 1, 1}));
  EXPECT_EQ(embedding.threads, 1u);
  // The token and what it becomes.
  EXPECT_EQ(embedding.traffic.other, 4 + 64 * 4u);

  // 96 rows of both matrices are six panels.
  const DispatchDescription* gate = nullptr;
  for (const DispatchDescription& dispatch : dispatches) {
    if (dispatch.label == "layer 2 norm+gate+up") gate = &dispatch;
  }
  ASSERT_NE(gate, nullptr);
  EXPECT_EQ(gate->kernel, "norm and gate/up products");
  EXPECT_EQ(gate->patch, Patch::kNone);
  EXPECT_EQ(gate->threadgroups, (std::array<std::uint32_t, 3>{6, 1, 1}));
  EXPECT_EQ(gate->traffic.weights, 2 * 96 * 64 / 32 * 18u);
  EXPECT_EQ(gate->traffic.kv, 0u);
  EXPECT_EQ(gate->traffic.other, (64 + 64 + 96) * 4u);  // x, gain, out

  EXPECT_EQ(dispatches.back().patch, Patch::kArgmaxOutput);
  EXPECT_EQ(take(list_dispatches(*model, 1, true)).back().patch, Patch::kNone) << "the host draws";
}

TEST_F(DispatchList, RefusesBatchesThatThereAreNot) {
  const auto model = load(toy_of(true));
  for (const std::uint32_t rows : {0u, 65u})
    EXPECT_EQ(list_dispatches(*model, rows, false).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(list_dispatches(*model, 2, true).code(), ErrorCode::kInvalidArgument);
}

TEST(PatchName, IsAnotherForEach) {
  std::set<std::string> names;
  for (int patch = 0; patch <= static_cast<int>(Patch::kArgmaxOutput); ++patch)
    names.insert(patch_name(static_cast<Patch>(patch)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Patch::kArgmaxOutput) + 1);
}

}  // namespace
}  // namespace emberline::testing
