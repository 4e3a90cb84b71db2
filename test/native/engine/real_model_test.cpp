// The embedded model end to end: the texts an editor would show.
#include "real_model.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "engine/session.h"

namespace emberline::testing {
namespace {

const char* const kPrompts[] = {
    "def add(a, b):\n    return",
    "def fibonacci(n):\n    if n < 2:\n        return n\n    return",
    "import os\nimport sys\n\nfor name in os.listdir(",
    "class Stack:\n    def __init__(self):\n        self.items = []\n\n    def push(self, x):\n        self.",
    "const numbers = [1, 2, 3];\nconst doubled = numbers.map((n) =>",
    "function isEven(n) {\n  return",
    "export interface Point {\n  x: number;\n  y:",
    "{\n  \"name\": \"example\",\n  \"version\":",
    "#include <stdio.h>\n\nint main(void) {\n  printf(",
    "SELECT name, age FROM users WHERE",
    "The capital of France is",
    "Once upon a time there was a",
    "# Installation\n\nTo install the package, run",
    "try:\n    value = int(text)\nexcept",
    "with open(path) as f:\n    lines = f.",
    "<html>\n  <head>\n    <title>",
    "for i in range(10):\n    print(",
    "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.",
    "SMALL = 1\nMEDIUM = 2\nLARGE =",
    "\xC3\x89t\xC3\xA9 = \xE2\x82\xAC",
};

std::vector<std::vector<TokenId>> greedy_ids(int threads) {
  const auto session = take(Session::create(take(Model::load(real_model_options(threads))), 256));
  std::vector<std::vector<TokenId>> all;
  for (const char* prompt : kPrompts) {
    CompletionRequest request;
    request.prompt = prompt;
    request.max_tokens = 16;
    request.single_line = false;
    all.push_back(take(session->complete(request)).ids);
  }
  return all;
}

TEST(RealModel, GreedyTextDoesNotDependOnTheThreads) {
  static_assert(std::size(kPrompts) == 20);
  const auto one = greedy_ids(1);
  EXPECT_EQ(one, greedy_ids(2));
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_FALSE(one[i].empty()) << kPrompts[i];
}

TEST(RealModel, CompletesTheObvious) {
  const auto session = take(Session::create(real_model(), 512));
  CompletionRequest request;
  request.prompt = "# math_tools.py\ndef add(a, b):\n    return a + b\n\ndef subtract(a, b):";
  request.required_prefix = "\n    ret";
  const Completion line = take(session->complete(request));
  EXPECT_EQ(line.text, "urn a - b");
  EXPECT_EQ(line.stop, StopReason::kLineEnd);
  EXPECT_GT(line.confidence, 0.5);

  request.prompt = "class Point:\n    def __init__(self, x, y):\n        self.x = x\n        self.y =";
  request.required_prefix = "";
  request.max_tokens = 1;
  EXPECT_EQ(take(session->complete(request)).text, " y");
}

TEST(RealModel, HealingGivesOneLineThatSpellsThePrefix) {
  const auto model = real_model();
  const auto session = take(Session::create(model, 512));
  const std::string text =
      "def mean(values):\n    total = sum(values)\n    return total / len(values)\n\n\ndef median(values):\n "
      "   ordered = ";
  for (std::size_t cut = text.size() - 24; cut < text.size(); cut += 3) {
    CompletionRequest request;
    request.prompt = text.substr(0, cut);
    request.required_prefix = text.substr(cut);
    request.max_tokens = 24;
    const Completion completion = take(session->complete(request));
    const std::string bytes = model->tokenizer().decode(completion.ids);
    EXPECT_EQ(bytes.substr(0, request.required_prefix.size()), request.required_prefix);
    EXPECT_EQ(completion.text.find('\n'), std::string::npos);
    EXPECT_NE(completion.text.find_first_not_of(" \t"), std::string::npos) << "something visible";
  }
}

TEST(RealModel, ReuseAndCancelKeepTheText) {
  const auto session = take(Session::create(real_model(), 512));
  std::string prompt = "# a file with some text, longer than one slice of the prefill\n";
  for (int i = 0; i < 12; ++i)
    prompt += "value_" + std::to_string(i) + " = compute(" + std::to_string(i * i) + ")\n";
  CompletionRequest request;
  request.max_tokens = 12;
  for (int round = 0; round < 4; ++round) {
    request.prompt = prompt + "value_1" + std::to_string(round);
    std::atomic<bool> cancel{false};
    request.cancel = &cancel;
    request.on_text = [&](std::string_view) { cancel = true; };
    EXPECT_EQ(take(session->complete(request)).stop, StopReason::kCancelled);
    request.cancel = nullptr;
    request.on_text = nullptr;
    const Completion reused = take(session->complete(request));
    EXPECT_GT(reused.timings.reused_tokens, 64u);
    const Completion fresh = take(take(Session::create(real_model(), 512))->complete(request));
    EXPECT_EQ(reused.ids, fresh.ids);
  }
}

}  // namespace
}  // namespace emberline::testing
