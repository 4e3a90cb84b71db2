// The embedded model's perplexity on 50 thousand tokens of code against a float32 implementation's
// (test/fixtures/perplexity/README.md): what rounded activations and weights read in another layout cost.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "device/cpu/kernels/select_kernels.h"
#include "engine/model_impl.h"
#include "model/forward_pass.h"
#include "real_model.h"

namespace emberline::testing {
namespace {

struct Window {
  std::vector<TokenId> ids;
  double reference_loss = 0;  // mean negative log-likelihood of ids 1 to the last, nats
};

std::vector<Window> read_windows() {
  std::ifstream file(std::string(EMBERLINE_SOURCE_DIR) + "/test/fixtures/perplexity/windows.bin",
                     std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::size_t at = 0;
  const auto take_bytes = [&](void* to, std::size_t count) {
    EXPECT_LE(at + count, bytes.size());
    if (at + count <= bytes.size()) std::memcpy(to, bytes.data() + at, count);
    at += count;
  };
  std::uint32_t count = 0, length = 0;
  take_bytes(&count, 4);
  take_bytes(&length, 4);
  std::vector<Window> windows(count);
  for (Window& window : windows) {
    std::vector<std::uint16_t> ids(length);
    take_bytes(ids.data(), ids.size() * 2);
    window.ids.assign(ids.begin(), ids.end());
  }
  for (Window& window : windows) take_bytes(&window.reference_loss, sizeof(double));
  EXPECT_EQ(at, bytes.size());
  return windows;
}

// -log p(token) under the softmax of `logits`. The kernel's sums of exponentials have a test of their own.
double loss_of(std::span<const float> logits, TokenId token) {
  static const Kernels& kernels = *select_kernels("auto").value();
  const LogitsScan scan = kernels.scan_logits(logits.data(), logits.size());
  EXPECT_TRUE(scan.finite);
  return scan.max + std::log(static_cast<double>(scan.exp_sum)) - logits[token];
}

// Mean loss of ids 1 to the last.
double mean_loss(ForwardPass& pass, const std::vector<TokenId>& ids, std::vector<float>& logits) {
  double sum = 0;
  const std::size_t predicted = ids.size() - 1;
  for (std::size_t start = 0; start < predicted; start += kVerifyRows) {
    const auto rows = std::span(ids).subspan(start, std::min<std::size_t>(kVerifyRows, predicted - start));
    take(pass.verify(rows, static_cast<std::uint32_t>(start), nullptr));
    for (std::uint32_t row = 0; row < rows.size(); ++row) {
      EXPECT_TRUE(pass.read_logits(row, logits).ok());
      sum += loss_of(logits, ids[start + row + 1]);
    }
  }
  return sum / static_cast<double>(predicted);
}

// The first windows with `tokens` tokens in all.
std::vector<Window> first_windows(std::size_t tokens) {
  std::vector<Window> windows = read_windows();
  EXPECT_FALSE(windows.empty());
  const std::size_t wanted = (tokens + windows[0].ids.size() - 1) / windows[0].ids.size();
  EXPECT_GE(windows.size(), wanted);
  windows.resize(wanted);
  return windows;
}

std::vector<double> losses_of(std::span<const Window> windows, Model& model) {
  const auto context = static_cast<std::uint32_t>(windows[0].ids.size());
  const auto pass = take(ForwardPass::create(model.impl().on_device(), context));
  std::vector<float> logits(model.info().vocabulary);
  std::vector<double> losses;
  for (const Window& window : windows) losses.push_back(mean_loss(*pass, window.ids, logits));
  return losses;
}

// Each window's mean loss with a cache of half floats; computed once, whichever test asks first.
std::vector<double> losses_of_halves(std::span<const Window> windows) {
  static std::vector<double> known;
  EXPECT_EQ(real_model()->info().kv_cache, "f16");
  if (known.size() < windows.size()) {
    const std::vector<double> more = losses_of(windows.subspan(known.size()), *real_model());
    known.insert(known.end(), more.begin(), more.end());
  }
  return {known.begin(), known.begin() + static_cast<std::ptrdiff_t>(windows.size())};
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void expect_quantised_cache_within(double share, std::size_t tokens) {
  const std::vector<Window> windows = first_windows(tokens);
  const double half = mean(losses_of_halves(windows));
  ModelOptions options = real_model_options();
  options.kv_cache = "q8_0";
  const double quantised = mean(losses_of(windows, *take(Model::load(options))));
  const double ratio = std::exp(quantised - half);
  std::printf("%zu windows: perplexity %.4f with a cache of q8_0, %.4f of f16, ratio %.5f\n", windows.size(),
              std::exp(quantised), std::exp(half), ratio);
  EXPECT_LE(std::fabs(ratio - 1), share);
  EXPECT_NE(quantised, half) << "the cache is the same";
}

// Over the first windows with `tokens` tokens in all.
void expect_within_half_a_percent(std::size_t tokens) {
  const std::vector<Window> windows = first_windows(tokens);
  const std::vector<double> losses = losses_of_halves(windows);
  const double ours = mean(losses);
  double reference = 0, worst = 0;
  for (std::size_t window = 0; window < windows.size(); ++window) {
    reference += windows[window].reference_loss / static_cast<double>(windows.size());
    worst = std::max(worst, std::fabs(losses[window] - windows[window].reference_loss));
  }
  const double ratio = std::exp(ours - reference);
  std::printf("%zu windows, %s: perplexity %.4f, float32 %.4f, ratio %.5f, worst window %.5f\n",
              windows.size(), real_model()->info().device.c_str(), std::exp(ours), std::exp(reference), ratio,
              std::exp(worst));
  EXPECT_LE(ratio, 1.005);
  EXPECT_GE(ratio, 0.995) << "far better than exact arithmetic is wrong, too";
}

TEST(RealModelPerplexity, IsWithinHalfAPercentOfFloat32OnCode) {
  expect_within_half_a_percent(5'000);
}

TEST(DeepRealModelPerplexity, IsWithinHalfAPercentOfFloat32OnFiftyThousandTokensOfCode) {
  expect_within_half_a_percent(50'000);
}

// On a few windows chance is larger than what rounding costs.
TEST(RealModelPerplexity, OfAQuantisedCacheIsWithinHalfAPercent) {
  expect_quantised_cache_within(0.005, 2'500);
}

TEST(DeepRealModelPerplexity, OfAQuantisedCacheIsWithinAFifthOfAPercentOnTwentyThousandTokens) {
  expect_quantised_cache_within(0.002, 20'000);
}

}  // namespace
}  // namespace emberline::testing
