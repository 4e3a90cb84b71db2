// Models some of whose layers look through a sliding window, past the positions that these layers keep.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "decode/prompt_prefill.h"
#include "device/cpu/cpu_device.h"
#include "model/family_toys.h"
#include "model/kv_layers.h"
#include "straight_forward.h"
#include "toy_pass.h"
#include "toy_session.h"

namespace emberline::testing {
namespace {

constexpr std::uint32_t kContext = 2048;
// Pages were given up at a position so far behind the start.
constexpr std::size_t kFarBehind = 1400;

// gemma2: every other layer has a window of 48 positions; gemma3: six of seven.
std::vector<ToyModel> windowed_toys() {
  std::vector<ToyModel> toys = gemmas();
  toys.erase(toys.begin());
  for (ToyModel& toy : toys) toy.context = kContext;
  return toys;
}

std::unique_ptr<Device> two_threads() {
  return take(make_cpu_device({.threads = 2}));
}

std::vector<float> fresh_logits(ToyPass& toy, std::span<const TokenId> tokens) {
  const auto pass = take(ForwardPass::create(toy.on_device(), kContext));
  PromptPrefill prefill(*pass, {});
  take(prefill.run(tokens, nullptr));
  std::vector<float> logits(pass->vocabulary());
  EXPECT_TRUE(pass->read_logits(0, logits).ok());
  return logits;
}

TEST(WindowedCache, LogitsFarBehindTheWindowAreThoseOfTheWholeText) {
  const ToyModel model = windowed_toys().front();
  ToyPass toy(model, kContext, two_threads());
  constexpr std::size_t kLength = 1000;  // the slow forward pass takes the square of it
  const std::vector<TokenId> tokens = random_tokens(kLength, model.end_token(), 5);
  const std::vector<float> logits = toy.prefill(tokens);
  // Keys and values are rounded to 11 bits.
  EXPECT_LE(relative_error(logits, straight_forward(*toy.file, tokens)), 4e-3);
  EXPECT_FALSE(toy.pass->can_continue(250)) << "no page was given up";
  for (const std::size_t slice : {1u, 16u}) {
    for (std::size_t at = kLength - 32; at < kLength; at += slice)
      take(toy.pass->verify(std::span(tokens).subspan(at, slice), static_cast<std::uint32_t>(at), nullptr));
    EXPECT_EQ(toy.logits(static_cast<std::uint32_t>(slice - 1)), logits);
  }
}

TEST(WindowedCache, TakesTheMemoryThatIsSaidAndNoMore) {
  for (const ToyModel& model : windowed_toys()) {
    ToyPass toy(model, kContext, two_threads());
    const Hyperparameters& h = toy.hyperparameters;
    const std::vector<TokenId> tokens = random_tokens(kContext, model.end_token(), 6);
    std::uint64_t most = 0;
    for (std::uint32_t done = 0; done < kContext; done += kPrefillRows) {
      take(toy.pass->prefill(std::span(tokens).subspan(done, kPrefillRows), done, nullptr));
      most = std::max(most, toy.pass->held_bytes());
    }
    EXPECT_LE(most, kv_cache_bytes(h, kKvF16, kContext));
    // A row is 2 * 2 * kv_width bytes a layer: what all of them would take.
    const std::uint64_t whole = std::uint64_t{4} * h.kv_width() * h.layers * kContext;
    std::printf("%s, %u layers, %u positions: %llu bytes of keys and values, of the whole context %llu\n",
                model.architecture.c_str(), h.layers, kContext, static_cast<unsigned long long>(most),
                static_cast<unsigned long long>(whole));
    EXPECT_LT(most, whole * 3 / 4);
  }
}

// A text that is edited anywhere, as often as not near its end.
TEST(WindowedCache, EditsGiveWhatAFreshPassGives) {
  const ToyModel model = windowed_toys().back();
  ToyPass toy(model, kContext, two_threads());
  const std::uint32_t window = toy.hyperparameters.window;
  PromptPrefill prefill(*toy.pass, {});
  std::mt19937_64 random(7);
  std::vector<TokenId> text = random_tokens(kFarBehind, model.end_token(), 8);
  int kept = 0, anew = 0;
  for (int edit = 0; edit < 24; ++edit) {
    const std::vector<TokenId> before = prefill.cached();
    const PrefillOutcome outcome = take(prefill.run(text, nullptr));
    const auto same = static_cast<std::uint32_t>(
        std::mismatch(before.begin(), before.end(), text.begin(), text.end() - 1).first - before.begin());
    EXPECT_TRUE(outcome.reused == same || outcome.reused == 0);
    // Where the last slice began is known to within its rows.
    if (same + kKvMargin >= before.size()) {
      EXPECT_EQ(outcome.reused, same);
    }
    if (same > 0 && same + kKvMargin + window + kKvPagePositions + kPrefillRows < before.size()) {
      EXPECT_EQ(outcome.reused, 0u) << same << " of " << before.size();
    }
    (outcome.reused > 0 ? kept : anew) += same > 0 ? 1 : 0;
    EXPECT_EQ(toy.logits(), fresh_logits(toy, text)) << "edit " << edit << " at " << same;
    const std::size_t back = random() % (edit % 3 == 0 ? text.size() - 1 : 300);
    text.resize(text.size() - std::min(back, text.size() - 1));
    const std::vector<TokenId> typed = random_tokens(1 + random() % 200, model.end_token(), random());
    text.insert(text.end(), typed.begin(), typed.end());
    const std::vector<TokenId> behind = random_tokens(250, model.end_token(), 9);
    if (edit % 2 == 0) text.insert(text.end(), behind.begin(), behind.end());
    while (text.size() < kFarBehind) text.insert(text.end(), behind.begin(), behind.end());
    text.resize(std::min<std::size_t>(text.size(), kContext - 1));
  }
  EXPECT_GT(kept, 4);
  EXPECT_GT(anew, 2);
}

// Chains and drafts behind the window, in a session and its forks.
TEST(WindowedCache, SessionsGoOnAsIfNothingHadBeenGivenUp) {
  ToyModel toy = windowed_toys().back();
  toy.output_scale = 4.0f;
  const auto model = load_toy(toy, two_threads());
  const auto session = take(Session::create(model, kContext));
  std::string text;
  for (std::mt19937_64 random(10); text.size() < kFarBehind;)
    text.push_back(static_cast<char>('a' + random() % 26));
  CompletionRequest request;
  request.single_line = false;
  const auto expect_as_fresh = [&](Session& used, const std::string& prompt, std::uint32_t tokens) {
    request.prompt = prompt;
    request.max_tokens = tokens;
    const Completion completion = take(used.complete(request));
    const Completion alone = take(take(Session::create(model, kContext))->complete(request));
    EXPECT_EQ(completion.ids, alone.ids);
    EXPECT_EQ(completion.confidence, alone.confidence);
    return completion.timings.reused_tokens;
  };
  expect_as_fresh(*session, text, 400);
  const auto fork = take(session->fork());
  EXPECT_GT(expect_as_fresh(*session, text + "more", 30), 1000u);
  EXPECT_GT(expect_as_fresh(*fork, text.substr(0, text.size() - 60) + "other", 30), 1000u);
  EXPECT_EQ(expect_as_fresh(*session, text.substr(0, 400) + "far back", 30), 0u);
  EXPECT_GT(expect_as_fresh(*fork, text + "again", 30), 1000u);
}

}  // namespace
}  // namespace emberline::testing
