// Sessions: prefix reuse, cancellation, limits, errors.
#include "engine/session.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "straight_forward.h"
#include "toy_session.h"

namespace emberline::testing {
namespace {

CompletionRequest request_for(std::string prompt, std::uint32_t max_tokens = 20) {
  CompletionRequest request;
  request.prompt = std::move(prompt);
  request.max_tokens = max_tokens;
  request.single_line = false;
  return request;
}

Completion complete_fresh(const std::shared_ptr<Model>& model, const CompletionRequest& request,
                          std::uint32_t context = 256) {
  return take(take(Session::create(model, context))->complete(request));
}

void expect_same(const Completion& actual, const Completion& expected) {
  EXPECT_EQ(actual.ids, expected.ids);
  EXPECT_EQ(actual.text, expected.text);
  EXPECT_EQ(actual.stop, expected.stop);
  EXPECT_NEAR(actual.confidence, expected.confidence, 1e-5 * expected.confidence);
  EXPECT_EQ(actual.token_ends, expected.token_ends);
}

// Texts as an editor sends them: each grows out of the one before by an edit somewhere.
std::vector<std::string> edited_prompts(int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text = "def f(x):\n    return x = 1\n    print(foo(2))\n";
  std::vector<std::string> prompts;
  for (int i = 0; i < count; ++i) {
    const std::size_t at = random() % 3 == 0 ? random() % text.size() : text.size();
    if (random() % 4 == 0 && text.size() > 30) {
      text.erase(std::min(at, text.size() - 3), 3);
    } else {
      text.insert(at, std::string(1 + random() % 4, static_cast<char>('a' + random() % 26)));
    }
    prompts.push_back(text);
  }
  return prompts;
}

TEST(Session, ReusingThePrefixGivesTheSameCompletionAsAFreshSession) {
  const auto model = load_toy({});
  const auto session = take(Session::create(model, 256));
  std::uint32_t reused = 0;
  for (const std::string& prompt : edited_prompts(25, 1)) {
    const Completion completion = take(session->complete(request_for(prompt)));
    expect_same(completion, complete_fresh(model, request_for(prompt)));
    EXPECT_LT(completion.timings.reused_tokens, completion.timings.prompt_tokens);
    reused += completion.timings.reused_tokens;
  }
  EXPECT_GT(reused, 100u) << "nothing was reused; the test shows nothing";
}

TEST(Session, ACancelBeforeTheFirstSliceForgetsNothing) {
  const auto session = take(Session::create(load_toy({}), 256));
  take(session->complete(request_for("x = 1")));
  const std::atomic<bool> cancelled = true;
  const std::vector<TokenId> other = {5, 6, 7, 8};
  EXPECT_EQ(session->logits(other, &cancelled).code(), ErrorCode::kModelClosed);
  const Completion again = take(session->complete(request_for("x = 1")));
  EXPECT_EQ(again.timings.reused_tokens, again.timings.prompt_tokens - 1);
}

TEST(Session, TypingWhatWasGeneratedReusesItsRows) {
  ToyModel toy;
  toy.end_tokens = false;
  const auto model = load_toy(toy);
  const auto session = take(Session::create(model, 256));
  const std::vector<TokenId> prompt = {5, 6, 7, 8};
  take(session->logits(prompt));
  const Completion first = take(session->complete(request_for("x = 1", 8)));
  ASSERT_EQ(first.ids.size(), 8u);
  // The same prompt again: all rows but that of its last token.
  const Completion again = take(session->complete(request_for("x = 1", 8)));
  expect_same(again, first);
  EXPECT_EQ(again.timings.reused_tokens, again.timings.prompt_tokens - 1);
  // Prompt and generated ids in a row: only the last generated id has no row yet.
  std::vector<TokenId> ids = model->tokenizer().encode("x = 1", false);
  ids.insert(ids.end(), again.ids.begin(), again.ids.end());
  const std::vector<float> logits = take(session->logits(ids));
  EXPECT_EQ(logits, take(take(Session::create(model, 256))->logits(ids)));
}

// Of a fork what is computed is what differs: the row of its last token, whose logits are not kept, and what
// an earlier fork has overwritten.
TEST(Session, AForkedTextIsReadFromTheCacheAndTheSameAsInAFreshSession) {
  ToyModel toy;
  toy.end_tokens = false;
  const auto model = load_toy(toy);
  const auto session = take(Session::create(model, 256));
  const CompletionRequest request = request_for("x = 1", 12);
  const Completion first = take(session->complete(request));
  ASSERT_EQ(first.ids.size(), 12u);
  const std::uint32_t prompt = first.timings.prompt_tokens;
  std::vector<TokenId> cached = first.ids;
  for (const std::size_t at : {std::size_t{9}, std::size_t{4}, std::size_t{7}, std::size_t{0}}) {
    CompletionRequest fork = request;
    fork.lead.assign(first.ids.begin(), first.ids.begin() + static_cast<std::ptrdiff_t>(at));
    fork.barred = {first.ids[at]};
    const Completion made = take(session->complete(fork));
    EXPECT_NE(made.ids.front(), first.ids[at]);
    EXPECT_EQ(made.text.substr(0, at > 0 ? 1 : 0), first.text.substr(0, at > 0 ? 1 : 0));
    EXPECT_EQ(made.timings.prompt_tokens, prompt + at);
    const auto common = static_cast<std::size_t>(
        std::mismatch(fork.lead.begin(), fork.lead.end(), cached.begin(), cached.end()).first -
        fork.lead.begin());
    EXPECT_EQ(made.timings.reused_tokens, std::min(prompt + common, prompt + at - 1));
    EXPECT_EQ(made.timings.generated_tokens, made.ids.size());
    const Completion fresh = complete_fresh(model, fork);
    expect_same(made, fresh);
    EXPECT_NEAR(made.barred_probability, fresh.barred_probability, 1e-5);
    cached = fork.lead;
    cached.insert(cached.end(), made.ids.begin(), made.ids.end() - 1);
  }
}

TEST(Session, ForksThatCannotBeAreRefused) {
  const auto model = load_toy({});
  const auto session = take(Session::create(model, 16));
  CompletionRequest request = request_for("abc");
  const auto is_refused = [&](const char* what) {
    const Result<Completion> unknown = session->complete(request);
    EXPECT_EQ(unknown.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(unknown.error().message().find(what), std::string::npos) << unknown.error().message();
  };
  request.lead = {model->info().vocabulary};
  is_refused("of the lead");
  request.lead = {};
  request.barred = {0xFFFFFFFF};
  is_refused("of the barred");
  request.barred = {};
  request.lead.assign(13, 'a');
  EXPECT_EQ(session->complete(request).code(), ErrorCode::kContextOverflow);
  request.lead.pop_back();
  EXPECT_TRUE(session->complete(request).ok());
}

TEST(Session, ACancelAnywhereLeavesWhatIsValid) {
  auto owned = std::make_unique<InterruptingDevice>(make_reference_device());
  InterruptingDevice& device = *owned;
  ToyModel toy;
  toy.end_tokens = false;
  const auto model = load_toy(toy, std::move(owned));
  const auto session = take(Session::create(model, 256));
  std::mt19937_64 random(11);
  int in_prefill = 0, in_decode = 0;
  for (const std::string& prompt : edited_prompts(40, 2)) {
    // Long prompts of several slices, and short ones.
    const std::string long_prompt = std::string(random() % 2 == 0 ? 150 : 0, 'z') + prompt;
    device.interrupt(static_cast<int>(random() % 6), random() % 30);
    const Completion cut = take(session->complete(request_for(long_prompt)));
    if (!device.armed()) {
      EXPECT_EQ(cut.stop, StopReason::kCancelled);
      EXPECT_TRUE(cut.timings.cancel_phase == Phase::kPrefill || cut.timings.cancel_phase == Phase::kDecode);
      (cut.timings.cancel_phase == Phase::kPrefill ? in_prefill : in_decode) += 1;
    }
    device.interrupt(-1, 0);
    const Completion whole = take(session->complete(request_for(long_prompt)));
    const Completion fresh = complete_fresh(model, request_for(long_prompt));
    expect_same(whole, fresh);
    ASSERT_LE(cut.ids.size(), fresh.ids.size());
    EXPECT_TRUE(std::equal(cut.ids.begin(), cut.ids.end(), fresh.ids.begin()));
  }
  EXPECT_GE(in_prefill, 5);
  EXPECT_GE(in_decode, 5);
}

TEST(Session, ARequestCancelledBeforeItStartsDoesNothing) {
  const auto session = take(Session::create(load_toy({}), 64));
  const std::atomic<bool> cancel{true};
  CompletionRequest request = request_for("abc");
  request.cancel = &cancel;
  const Completion completion = take(session->complete(request));
  EXPECT_EQ(completion.stop, StopReason::kCancelled);
  EXPECT_EQ(completion.timings.cancel_phase, Phase::kQueued);
  EXPECT_EQ(completion.timings.prompt_tokens, 0u);
  EXPECT_TRUE(completion.ids.empty());
  EXPECT_EQ(completion.confidence, 0);
  EXPECT_TRUE(completion.token_probabilities.empty());
  EXPECT_TRUE(completion.token_ends.empty());
}

TEST(Session, SessionsOfOneModelDoNotDisturbEachOther) {
  const auto model = load_toy({});
  const auto a = take(Session::create(model, 256)), b = take(Session::create(model, 64));
  for (const std::string& prompt : edited_prompts(6, 3)) {
    const Completion from_a = take(a->complete(request_for(prompt, 5)));
    expect_same(take(b->complete(request_for("other" + prompt.substr(prompt.size() - 9), 5))),
                complete_fresh(model, request_for("other" + prompt.substr(prompt.size() - 9), 5), 64));
    expect_same(from_a, complete_fresh(model, request_for(prompt, 5)));
  }
}

TEST(Session, LogitsAreThoseOfTheStraightForwardPass) {
  const ToyModel toy;
  const TemporaryDirectory directory;
  ModelOptions options;
  options.path = directory.file("toy.gguf");
  ASSERT_TRUE(toy.writer().write(options.path));
  const auto model = take(Model::load_on(make_reference_device(), options));
  const auto session = take(Session::create(model, 256));
  const auto file = take(GgufFile::open(options.path));
  const std::vector<TokenId> ids = {3, 200, 17, 260, 9, 9};
  EXPECT_LE(relative_error(take(session->logits(ids)), straight_forward(*file, ids)), 2e-3);
  const auto some = std::span(ids).first(2);
  EXPECT_LE(relative_error(take(session->logits(some)), straight_forward(*file, some)), 2e-3);
}

TEST(Session, LogitsRefuseIdsThatDoNotFit) {
  const auto model = load_toy({});
  const auto session = take(Session::create(model, 16));
  EXPECT_EQ(session->logits({}).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(session->logits(std::vector<TokenId>(17, 1)).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(session->logits(std::vector<TokenId>{model->info().vocabulary}).code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(take(session->logits(std::vector<TokenId>(16, 1))).size(), model->info().vocabulary);
}

TEST(Session, ThePromptMustLeaveRoomForAToken) {
  ToyModel toy;
  toy.end_tokens = false;
  const auto model = load_toy(toy);
  const auto session = take(Session::create(model, 16));
  const Result<Completion> too_long = session->complete(request_for("qwqwqwqwqwqwqwqw"));
  EXPECT_EQ(too_long.code(), ErrorCode::kContextOverflow);
  EXPECT_NE(too_long.error().message().find("16"), std::string::npos);
  const Completion one = take(session->complete(request_for("qwqwqwqwqwqwqwq")));
  EXPECT_EQ(one.stop, StopReason::kContextFull);
  EXPECT_EQ(one.ids.size(), 1u);
}

TEST(Session, AnEmptyPromptStartsFromBosOrIsRefused) {
  const ToyModel toy;
  const auto session = take(Session::create(load_toy(toy), 64));
  EXPECT_EQ(take(session->complete(request_for(""))).timings.prompt_tokens, 1u);
  ToyModel without;
  without.end_tokens = false;
  const auto bare = take(Session::create(load_toy(without), 64));
  EXPECT_EQ(bare->complete(request_for("")).code(), ErrorCode::kInvalidArgument);
}

TEST(Session, BadRequestsAreRefusedWithASentence) {
  const auto model = load_toy({});
  const auto session = take(Session::create(model, 64));
  CompletionRequest request = request_for("abc", 0);
  EXPECT_EQ(session->complete(request).code(), ErrorCode::kInvalidArgument);
  request = request_for("abc");
  request.sampling.temperature = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(session->complete(request).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(Session::create(model, 15).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(Session::create(model, model->info().context_length + 1).code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(Session::create(model, model->info().context_length).ok());
}

TEST(Session, AModelWithLogitsThatAreNotFiniteIsAnErrorAndTheSessionLivesOn) {
  ToyModel toy;
  toy.tied = false;
  toy.output_scale = 3e38f;
  const auto session = take(Session::create(load_toy(toy), 64));
  EXPECT_EQ(session->complete(request_for("abc")).code(), ErrorCode::kLogitsNotFinite);
  EXPECT_EQ(session->complete(request_for("abc")).code(), ErrorCode::kLogitsNotFinite);
}

TEST(Session, TimingsTextAndConfidenceAreConsistent) {
  ToyModel toy;
  toy.end_tokens = false;
  const auto session = take(Session::create(load_toy(toy), 128));
  CompletionRequest request = request_for("abc", 12);
  std::string streamed;
  request.on_text = [&](std::string_view piece) { streamed += piece; };
  const Completion completion = take(session->complete(request));
  EXPECT_EQ(streamed, completion.text);
  EXPECT_EQ(completion.timings.prompt_tokens, 3u);
  EXPECT_EQ(completion.timings.generated_tokens, completion.ids.size());
  EXPECT_GT(completion.confidence, 0);
  EXPECT_LE(completion.confidence, 1);
  EXPECT_EQ(completion.token_probabilities.size(), completion.ids.size());
  EXPECT_EQ(completion.token_ends.size(), completion.ids.size());
  EXPECT_GT(completion.timings.first_token_ms, completion.timings.prefill_ms);
  EXPECT_GE(completion.timings.total_ms, completion.timings.first_token_ms);
  EXPECT_EQ(completion.timings.cancel_phase, Phase::kNone);
}

TEST(Session, PhaseNames) {
  EXPECT_STREQ(phase_name(Phase::kNone), "none");
  EXPECT_STREQ(phase_name(Phase::kQueued), "queued");
  EXPECT_STREQ(phase_name(Phase::kPrefill), "prefill");
  EXPECT_STREQ(phase_name(Phase::kDecode), "decode");
}

}  // namespace
}  // namespace emberline::testing
