// A model with a draft model beside it: what loads together, and that sessions say the same with its drafts.
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "device/cpu/cpu_device.h"
#include "engine/model_impl.h"
#include "engine/session.h"
#include "toy_session.h"

namespace emberline::testing {
namespace {

ToyModel target_toy() {
  ToyModel toy;
  toy.layers = 3;
  toy.output_scale = 2;
  return toy;
}

ToyModel draft_toy(std::uint64_t seed = 1) {
  ToyModel toy = target_toy();
  toy.layers = 2;  // the first two are the target's where the seed is the same
  toy.seed = seed;
  return toy;
}

Result<std::shared_ptr<Model>> load_pair(const ToyModel& target, const ToyModel& draft) {
  const TemporaryDirectory directory;
  ModelOptions options;
  options.path = directory.file("target.gguf");
  options.draft_path = directory.file("draft.gguf");
  EXPECT_TRUE(target.writer().write(options.path));
  EXPECT_TRUE(draft.writer().write(options.draft_path));
  return Model::load_on(take(make_cpu_device({.threads = 1})), options);
}

CompletionRequest draftable_request(std::string prompt, float temperature = 0) {
  CompletionRequest request;
  request.prompt = std::move(prompt);
  request.max_tokens = 40;
  request.single_line = false;
  request.ban_blank_start = false;
  request.sampling.temperature = temperature;
  request.sampling.seed = 9;
  return request;
}

CompletionRequest drafted(CompletionRequest request) {
  request.drafting = {.model = true, .adaptive = false, .most = 4};
  return request;
}

TEST(DraftModelLoad, BothShareADeviceAndTheInfoNamesTheDraft) {
  const auto model = take(load_pair(target_toy(), draft_toy()));
  EXPECT_EQ(model->info().draft, "toy");
  EXPECT_EQ(model->info().layers, 3u);
  ASSERT_NE(model->impl().draft, nullptr);
  EXPECT_EQ(model->impl().draft->info().layers, 2u);
  EXPECT_EQ(model->impl().draft->impl().device, model->impl().device);
  EXPECT_EQ(load_toy(target_toy())->info().draft, "");
}

TEST(DraftModelLoad, AnotherTokenizerIsRefused) {
  ToyModel others = draft_toy();
  others.end_tokens = false;
  const auto refused = load_pair(target_toy(), others);
  ASSERT_EQ(refused.code(), ErrorCode::kDraftTokenizerDiffers);
  EXPECT_NE(refused.error().message().find("choose one of the same family"), std::string::npos);
}

TEST(DraftModelLoad, PaddingBehindTheTokensDoesNotCount) {
  ToyModel padded = draft_toy();
  padded.padding_rows = 7;
  const auto model = take(load_pair(target_toy(), padded));
  const auto session = take(Session::create(model, 128));
  const CompletionRequest request = draftable_request("def f(x):\n");
  const Completion plain = take(session->complete(request));
  EXPECT_EQ(take(session->complete(drafted(request))).ids, plain.ids);
}

TEST(DraftModelLoad, ADraftThatCannotBeLoadedIsAnErrorThatSaysSo) {
  const TemporaryDirectory directory;
  ModelOptions options;
  options.path = directory.file("target.gguf");
  options.draft_path = directory.file("missing.gguf");
  ASSERT_TRUE(target_toy().writer().write(options.path));
  const auto model = Model::load_on(make_reference_device(), options);
  ASSERT_EQ(model.code(), ErrorCode::kFileNotFound);
  EXPECT_EQ(model.error().message().find("The draft model could not be loaded: "), 0u);
}

// The same model as a draft is always right; another hardly ever; the text is the same.
TEST(DraftModelSession, GreedyIdsAreThoseOfPlainDecode) {
  for (const std::uint64_t seed : {1u, 2u}) {
    for (const bool itself : {true, false}) {
      const auto model = take(load_pair(target_toy(), itself ? target_toy() : draft_toy(seed)));
      const auto session = take(Session::create(model, 256));
      for (const char* prompt : {"def f(x):\n    return", "print(foo(1));\n", "x = foo("}) {
        const CompletionRequest request = draftable_request(prompt);
        const Completion plain = take(session->complete(request));
        const Completion made = take(session->complete(drafted(request)));
        EXPECT_EQ(made.ids, plain.ids) << prompt;
        EXPECT_EQ(made.text, plain.text);
        EXPECT_EQ(made.stop, plain.stop);
        if (plain.ids.size() < 8) continue;
        EXPECT_GT(made.drafting.drafted, 0u);
        if (itself) {
          EXPECT_EQ(made.drafting.accepted, made.drafting.drafted) << prompt;
        }
      }
    }
  }
}

TEST(DraftModelSession, ASeedGivesTheSameTextAgain) {
  const auto model = take(load_pair(target_toy(), draft_toy()));
  const CompletionRequest request = drafted(draftable_request("def f(x):\n", 0.8f));
  const Completion once = take(take(Session::create(model, 256))->complete(request));
  EXPECT_GT(once.drafting.drafted, 0u);
  EXPECT_EQ(take(take(Session::create(model, 256))->complete(request)).ids, once.ids);
}

TEST(DraftModelSession, AForkDraftsOnItsOwn) {
  const auto model = take(load_pair(target_toy(), draft_toy()));
  const auto session = take(Session::create(model, 256));
  const CompletionRequest request = drafted(draftable_request("def f(x):\n    return"));
  const Completion made = take(session->complete(request));
  const auto fork = take(session->fork());
  const CompletionRequest other = drafted(draftable_request("def f(x):\n    print"));
  const Completion expected = take(take(Session::create(model, 256))->complete(other));
  EXPECT_EQ(take(fork->complete(other)).ids, expected.ids);
  EXPECT_EQ(take(session->complete(request)).ids, made.ids);
}

TEST(DraftModelSession, ACancelLeavesBothCachesRight) {
  const auto model = take(load_pair(target_toy(), target_toy()));
  const auto session = take(Session::create(model, 256));
  CompletionRequest request = drafted(draftable_request("def f(x):\n    return"));
  const Completion whole = take(session->complete(request));
  for (const int pieces : {1, 3, 6}) {
    std::atomic<bool> cancel{false};
    int seen = 0;
    CompletionRequest cut = request;
    cut.cancel = &cancel;
    cut.on_text = [&](std::string_view) { cancel = ++seen >= pieces; };
    const Completion part = take(session->complete(cut));
    ASSERT_LE(part.ids.size(), whole.ids.size());
    EXPECT_TRUE(std::equal(part.ids.begin(), part.ids.end(), whole.ids.begin()));
    EXPECT_EQ(take(session->complete(request)).ids, whole.ids);
  }
}

}  // namespace
}  // namespace emberline::testing
