// Times one forward pass of several tokens with the logits of all: MODEL THREADS.
//
// A worker of the bench (bench/README.md lists the requests): reads a request a line from standard input and
// answers each with a line of JSON. The engine's JavaScript surface has no such call, because what verifies
// drafts lives below it.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "engine/model.h"
#include "engine/model_impl.h"
#include "model/forward_pass.h"

namespace emberline {

namespace {

constexpr std::uint32_t kContext = 4096;
// Of an odd number of passes the median is one of them.
constexpr int kRepeats = 11;

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Result<std::unique_ptr<ForwardPass>> make_pass(Model& model) {
  Model::Impl& loaded = model.impl();
  return ForwardPass::create(loaded.on_device(), kContext);
}

Status prefill(ForwardPass& pass, std::span<const TokenId> prompt) {
  for (std::size_t done = 0; done < prompt.size(); done += kPrefillRows) {
    const std::size_t count = std::min<std::size_t>(prompt.size() - done, kPrefillRows);
    const Result<ReplayOutcome> outcome =
        pass.prefill(prompt.subspan(done, count), static_cast<std::uint32_t>(done), nullptr);
    if (!outcome.ok()) return outcome.error();
  }
  return {};
}

// The median time of `tokens` after `position` tokens, ms.
Result<double> time_forward(ForwardPass& pass, std::span<const TokenId> tokens, std::uint32_t position) {
  std::vector<double> times;
  for (int repeat = -1; repeat < kRepeats; ++repeat) {
    const double start = now_ms();
    const Result<ReplayOutcome> outcome = tokens.size() == 1 ? pass.decode(tokens[0], position, nullptr)
                                                             : pass.verify(tokens, position, nullptr);
    if (!outcome.ok()) return outcome.error();
    if (repeat >= 0)
      times.push_back(now_ms() - start);  // the first one finds the caches as the prompt left them
  }
  std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
  return times[kRepeats / 2];
}

// The members of the answer to one request, without braces.
Result<std::string> answer(ForwardPass& pass, std::vector<TokenId>& prompt, const std::string& line) {
  std::istringstream words(line);
  std::string request;
  words >> request;
  if (request == "prompt") {
    prompt.clear();
    for (TokenId token = 0; words >> token;) prompt.push_back(token);
    if (prompt.size() + kVerifyRows > kContext)
      return Status(ErrorCode::kContextOverflow, "The prompt does not fit the context; pass a shorter one.");
    const Status filled = prefill(pass, prompt);
    if (!filled.ok()) return filled;
    return "\"tokens\":" + std::to_string(prompt.size());
  }
  std::size_t count = 0;
  if (request != "forward" || !(words >> count) || count < 1 || count > kVerifyRows || count > prompt.size())
    return Status(ErrorCode::kInvalidArgument, "The requests are 'prompt IDS' and 'forward N' with N up to " +
                                                   std::to_string(kVerifyRows) + ".");
  const Result<double> ms =
      time_forward(pass, std::span(prompt).first(count), static_cast<std::uint32_t>(prompt.size()));
  if (!ms.ok()) return ms.error();
  return "\"ms\":" + std::to_string(ms.value());
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result;
}

void say(const Result<std::string>& members) {
  if (members.ok()) {
    std::cout << "{" << members.value() << "}" << std::endl;
  } else {
    std::cout << "{\"error\":\"" << escaped(members.error().message()) << "\",\"code\":\""
              << code_name(members.code()) << "\"}" << std::endl;
  }
}

Status run(const ModelOptions& options) {
  const Result<std::shared_ptr<Model>> model = Model::load(options);
  if (!model.ok()) return model.error();
  const Result<std::unique_ptr<ForwardPass>> pass = make_pass(*model.value());
  if (!pass.ok()) return pass.error();
  say(std::string("\"ready\":true"));
  std::vector<TokenId> prompt;
  for (std::string line; std::getline(std::cin, line);) say(answer(*pass.value(), prompt, line));
  return {};
}

}  // namespace

}  // namespace emberline

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: emberline_forward_bench MODEL THREADS\n";
    return 2;
  }
  emberline::ModelOptions options;
  options.path = argv[1];
  options.threads = std::atoi(argv[2]);
  const emberline::Status status = emberline::run(options);
  if (status.ok()) return 0;
  emberline::say(emberline::Result<std::string>(status));
  return 1;
}
