// What a whole table computes, against the reference device, for every type of weights.
#include <cmath>

#include "chain_fixture.h"
#include "device/table_harness.h"
#include "reference/reference_device.h"

namespace emberline::testing {
namespace {

class MetalTable : public GpuTest, public ::testing::WithParamInterface<TensorType> {};

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += std::pow(static_cast<double>(a[i]) - b[i], 2);
  return std::sqrt(squares);
}

TEST_P(MetalTable, StaysCloseToTheReference) {
  const auto reference_device = make_reference_device();
  MetalDeviceOptions plain = unchecked_kernels();
  plain.fused = false;
  for (const MetalDeviceOptions& options : {unchecked_kernels(), plain}) {
    for (std::uint32_t rows : {1u, 5u, 20u}) {
      SCOPED_TRACE(rows);
      const auto device = metal_device(options);
      SmallModel model(*device, GetParam(), rows), reference(*reference_device, GetParam(), rows);
      std::vector<std::uint32_t> prompt;
      for (std::uint32_t i = 0; i < rows; ++i) prompt.push_back(i * 97 % SmallModel::kVocabulary);
      for (SmallModel* m : {&model, &reference}) {
        m->set_tokens(prompt);
        replay(*m, request_of(0, rows, 1));
      }
      const auto actual = model.logits(), expected = reference.logits();
      // Roundings alone, the cache's to halves included.
      EXPECT_LE(distance(actual, expected), 2e-3 * norm(expected));
    }
  }
}

TEST_P(MetalTable, ABatchIsItsRows) {
  const auto device = metal_device(unchecked_kernels());
  for (std::uint32_t rows : {2u, 7u, 16u}) {
    SCOPED_TRACE(rows);
    SmallModel batched(*device, GetParam(), rows), single(*device, GetParam());
    std::vector<std::uint32_t> prompt;
    for (std::uint32_t i = 0; i < rows; ++i) prompt.push_back((i * 131 + 4) % SmallModel::kVocabulary);
    batched.set_tokens(prompt);
    replay(batched, request_of(0, rows, 1));
    for (std::uint32_t i = 0; i < rows; ++i) {
      single.set_tokens({prompt[i]}, i);
      replay(single, request_of(i, 1, 1));
    }
    EXPECT_EQ(batched.logits(), single.logits());
  }
}

TEST_P(MetalTable, OrderDecidesNothing) {
  const auto device = metal_device();
  SmallModel model(*device, GetParam());
  std::vector<std::uint32_t> tokens;
  std::vector<float> logits;
  in_several_orders([&] {
    model.set_tokens({3});
    EXPECT_EQ(replay(model, request_of(0, 1, 3)).steps_completed, 3u);
    if (tokens.empty()) {
      tokens = model.tokens(4);
      logits = model.logits();
    }
    EXPECT_EQ(model.tokens(4), tokens);
    EXPECT_EQ(model.logits(), logits);
  });
}

INSTANTIATE_TEST_SUITE_P(Types, MetalTable, ::testing::ValuesIn(kNarrowWeightTypes),
                         [](const auto& info) { return type_name(info.param); });

}  // namespace
}  // namespace emberline::testing
