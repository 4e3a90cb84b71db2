// No allocation of the engine is one whose failure ends the process, or changes what is said afterwards.
//
// Every allocation in the deep tests; a sample of them, with a stride, in the others.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "device/cpu/cpu_device.h"
#include "engine/model.h"
#include "engine/session.h"
#include "faults/survey.h"
#include "grammar/grammar.h"
#include "take.h"
#include "temporary_directory.h"
#include "toy_model.h"

namespace emberline::testing {
namespace {

using grammar::Grammar;

constexpr std::string_view kGbnf =
    "root ::= \"{\" ws pair (\",\" ws pair)* \"}\"\n"
    "pair ::= \"\\\"\" [a-z]{1,4} \"\\\":\" ws [0-9]{1,3}\n"
    "ws ::= [ \\n]{0,2}\n";
constexpr std::string_view kSchema =
    R"({"type":"object","properties":{"name":{"type":"string","maxLength":6},"size":{"type":"integer",)"
    R"("minimum":2,"maximum":77},"tags":{"type":"array","items":{"enum":["a","bc"]},"maxItems":3}},)"
    R"("required":["name","size"],"additionalProperties":false})";

// A stride that misses no region of the code, and its order differs from work to work.
constexpr std::uint64_t kSample = 23;

std::string text_of(const Completion& completion) {
  std::string text;
  for (const TokenId id : completion.ids) text += std::to_string(id) + " ";
  return text + stop_reason_name(completion.stop);
}

Outcome said(Session& session, const CompletionRequest& request) {
  TRY_VALUE(const Completion completion, session.complete(request));
  return text_of(completion);
}

CompletionRequest plain(std::string prompt = "def f(x):\n    return x = 1\n    print(foo(2))\n") {
  CompletionRequest request;
  request.prompt = std::move(prompt);
  request.max_tokens = 12;
  request.single_line = false;
  return request;
}

CompletionRequest sampled() {
  CompletionRequest request = plain();
  request.sampling.temperature = 0.8f;
  request.sampling.top_p = 0.95f;
  request.sampling.repeat_penalty = 1.1f;
  request.sampling.seed = 7;
  return request;
}

CompletionRequest drafted() {
  CompletionRequest request = plain();
  request.drafting = {.lookup = true, .model = true, .adaptive = false, .most = 4};
  request.references = {"return x = 1\n    print(foo(2))\nreturn x", "    print(foo(3))\n"};
  return request;
}

CompletionRequest remembering() {
  CompletionRequest request = drafted();
  request.remembered = 1;
  request.remembered_beside = 1;
  return request;
}

CompletionRequest following(std::shared_ptr<const Grammar> grammar) {
  CompletionRequest request = plain("A person as JSON: ");
  request.grammar = std::move(grammar);
  request.ban_blank_start = false;
  return request;
}

ToyModel toy_of_layers(std::uint32_t layers) {
  ToyModel toy;
  toy.layers = layers;
  toy.output_scale = 2;
  return toy;
}

class Files {
 public:
  Files() {
    EXPECT_TRUE(toy_of_layers(3).writer().write(options_.path));
    EXPECT_TRUE(toy_of_layers(2).writer().write(options_.draft_path));
  }
  ModelOptions with_draft() const { return options_; }
  ModelOptions alone() const {
    ModelOptions options = options_;
    options.draft_path.clear();
    return options;
  }

 private:
  TemporaryDirectory directory_;
  ModelOptions options_ = [this] {
    ModelOptions options;
    options.path = directory_.file("toy.gguf");
    options.draft_path = directory_.file("draft.gguf");
    options.device = "cpu";
    options.threads = 2;
    return options;
  }();
};

// A shortage that lasts is met first where one that passes is: of these fewer are enough.
void expect_survives(const Work& work, std::uint64_t stride) {
  for (const auto& [shortage, step] :
       {std::pair{Shortage::kOnce, stride}, std::pair{Shortage::kLasting, 3 * stride}}) {
    const Survey made = survey(work, step, shortage);
    for (const std::string& complaint : made.complaints)
      ADD_FAILURE() << (shortage == Shortage::kOnce ? "once, " : "lasting, ") << complaint;
    EXPECT_GT(made.refused, 0u) << "nothing failed; the test shows nothing";
    if (shortage == Shortage::kOnce)
      ::testing::Test::RecordProperty("allocations", std::to_string(made.allocations * step));
  }
}

void survive_loading(std::uint64_t stride) {
  const Files files;
  for (const ModelOptions& options : {files.alone(), files.with_draft()}) {
    const auto load = [&]() -> Outcome {
      TRY_VALUE(const std::shared_ptr<Model> model, Model::load(options));
      return model->info().name + " " + model->info().draft;
    };
    expect_survives({{}, load, load, {}}, stride);
  }
}

// Each request in a session of its own; afterwards the same session answers it, and another one, as ever.
void survive_requests(std::uint64_t stride, const std::vector<CompletionRequest>& requests) {
  const Files files;
  for (const CompletionRequest& request : requests) {
    SCOPED_TRACE(&request - requests.data());
    std::shared_ptr<Model> model;
    std::unique_ptr<Session> session;
    const auto begin = [&] {
      if (model == nullptr) model = take(Model::load(files.with_draft()));
      session = take(Session::create(model, 128));
    };
    const auto afterwards = [&]() -> Outcome {
      TRY_VALUE(const std::string same, said(*session, request));
      TRY_VALUE(const std::string other, said(*session, plain("x = 1")));
      TRY_VALUE(const std::string again, said(*session, request));
      return same + "; " + other + "; " + again;
    };
    expect_survives({begin, [&] { return said(*session, request); }, afterwards, [&] { session.reset(); }},
                    stride);
  }
}

void survive_grammars(std::uint64_t stride) {
  const auto gbnf = []() -> Outcome {
    TRY_VALUE(const std::shared_ptr<const Grammar> made, Grammar::from_gbnf(kGbnf));
    TRY_VALUE(const bool conforms, made->conforms("{\"ab\": 12}"));
    return std::string(conforms ? "conforms" : "differs");
  };
  const auto schema = []() -> Outcome {
    TRY_VALUE(const std::shared_ptr<const Grammar> made, Grammar::from_schema(kSchema, {}));
    TRY_VALUE(const bool conforms, made->conforms(R"({"name":"a","size":5,"tags":["bc"]})"));
    return std::string(conforms ? "conforms" : "differs");
  };
  expect_survives({{}, gbnf, gbnf, {}}, stride);
  expect_survives({{}, schema, schema, {}}, stride);
}

// The fork writes where it shares pages with its origin; neither sees what the other does.
void survive_forks(std::uint64_t stride) {
  const Files files;
  const std::shared_ptr<Model> model = take(Model::load(files.with_draft()));
  std::unique_ptr<Session> origin, fork;
  const auto begin = [&] {
    origin = take(Session::create(model, 128));
    EXPECT_TRUE(origin->complete(plain()).ok());
  };
  const auto attempt = [&]() -> Outcome {
    TRY_VALUE(fork, origin->fork());
    return said(*fork, plain("def f(x):\n    return x = 1\n    y"));
  };
  const auto afterwards = [&]() -> Outcome {
    TRY_VALUE(const std::string of_origin, said(*origin, plain()));
    if (fork == nullptr) {
      TRY_VALUE(fork, origin->fork());
    }
    TRY_VALUE(const std::string of_fork, said(*fork, plain("def f(x):\n    return x = 1\n    y")));
    return of_origin + "; " + of_fork;
  };
  const auto end = [&] {
    fork.reset();
    origin.reset();
  };
  expect_survives({begin, attempt, afterwards, end}, stride);
}

void survive_creating_sessions(std::uint64_t stride) {
  const Files files;
  const std::shared_ptr<Model> model = take(Model::load(files.with_draft()));
  const auto create = [&]() -> Outcome {
    TRY_VALUE(const std::unique_ptr<Session> session, Session::create(model, 128));
    std::vector<TokenId> ids = {5, 6, 7, 8};
    TRY_VALUE(const std::vector<float> logits, session->logits(ids));
    return std::to_string(logits.front()) + " " + std::to_string(logits.back());
  };
  expect_survives({{}, create, create, {}}, stride);
}

std::vector<CompletionRequest> constrained() {
  return {following(take(Grammar::from_gbnf(kGbnf))), following(take(Grammar::from_schema(kSchema, {})))};
}

TEST(Shortage, Load) {
  survive_loading(4 * kSample);
}
TEST(Shortage, Sessions) {
  survive_creating_sessions(kSample);
}
TEST(Shortage, Completions) {
  survive_requests(kSample, {plain(), sampled(), drafted(), remembering()});
}
TEST(Shortage, Grammars) {
  survive_grammars(kSample);
}
TEST(Shortage, CompletionsOfAGrammar) {
  survive_requests(4 * kSample, constrained());
}
TEST(Shortage, Forks) {
  survive_forks(kSample);
}

TEST(ShortageDeep, Load) {
  survive_loading(1);
}
TEST(ShortageDeep, Sessions) {
  survive_creating_sessions(1);
}
TEST(ShortageDeep, Completions) {
  survive_requests(1, {plain(), sampled(), drafted(), remembering()});
}
TEST(ShortageDeep, Grammars) {
  survive_grammars(1);
}
TEST(ShortageDeep, CompletionsOfAGrammar) {
  survive_requests(1, constrained());
}
TEST(ShortageDeep, Forks) {
  survive_forks(1);
}

}  // namespace
}  // namespace emberline::testing
