// Times forward passes of several tokens with the logits of all, and chains: MODEL THREADS, on the processor,
// or MODEL THREADS metal return|indirect [LIBRARY], on a GPU with one of the two ways of skipping behind a
// stop and the compiled kernels.
//
// A worker of the bench (bench/README.md lists the requests): reads a request a line from standard input and
// answers each with a line of JSON. The engine's JavaScript surface has no such call, because what verifies
// drafts lives below it.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "chain_timing.h"
#include "engine/model_impl.h"
#include "model/forward_pass.h"
#include "program_model.h"

namespace emberline {

namespace {

constexpr std::uint32_t kContext = 4096;
// Of an odd number of passes the median is one of them.
constexpr int kRepeats = 11;

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
    const Stopwatch watch;
    const Result<ReplayOutcome> outcome = tokens.size() == 1 ? pass.decode(tokens[0], position, nullptr)
                                                             : pass.verify(tokens, position, nullptr);
    if (!outcome.ok()) return outcome.error();
    if (repeat >= 0)
      times.push_back(watch.milliseconds());  // the first one finds the caches as the prompt left them
  }
  std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
  return times[kRepeats / 2];
}

Result<std::string> take_prompt(ForwardPass& pass, std::vector<TokenId>& prompt, std::istringstream& words) {
  prompt.clear();
  for (TokenId token = 0; words >> token;) prompt.push_back(token);
  if (prompt.size() + kMostTimedSteps > kContext)
    return Status(ErrorCode::kContextOverflow, "The prompt does not fit the context; pass a shorter one.");
  const Status filled = prefill(pass, prompt);
  if (!filled.ok()) return filled;
  return "\"tokens\":" + std::to_string(prompt.size());
}

Status bad_request() {
  return Status(ErrorCode::kInvalidArgument, "The requests are 'prompt IDS', 'forward N' with N up to " +
                                                 std::to_string(kVerifyRows) +
                                                 ", 'chain N' and 'behind-stop N' with N up to " +
                                                 std::to_string(kMostTimedSteps) + ", and 'bandwidth'.");
}

Result<double> time_request(ForwardPass& pass, const Model& model, std::span<const TokenId> prompt,
                            const std::string& request, std::uint32_t count) {
  const auto position = static_cast<std::uint32_t>(prompt.size());
  if (count < 1 || prompt.empty()) return bad_request();
  if (request == "forward" && count <= kVerifyRows && count <= position)
    return time_forward(pass, prompt.first(count), position);
  if (request == "chain" && count <= kMostTimedSteps) return time_chain(pass, prompt[0], position, count);
  if (request == "behind-stop" && count <= kMostTimedSteps)
    return time_behind_stop(pass, prompt[0], position, count, model.info().vocabulary);
  return bad_request();
}

// The members of the answer to one request, without braces.
Result<std::string> answer(ForwardPass& pass, const Model& model, std::vector<TokenId>& prompt,
                           const std::string& line) {
  std::istringstream words(line);
  std::string request;
  words >> request;
  if (request == "prompt") return take_prompt(pass, prompt, words);
  if (request == "bandwidth") {
    const Result<double> bandwidth = stated_bandwidth(model);
    if (!bandwidth.ok()) return bandwidth.error();
    return "\"bytesPerSecond\":" + std::to_string(bandwidth.value());
  }
  std::uint32_t count = 0;
  words >> count;
  const Result<double> ms = time_request(pass, model, prompt, request, count);
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

Status run(const ProgramArguments& arguments) {
  const Result<std::shared_ptr<Model>> model = load_model(arguments);
  if (!model.ok()) return model.error();
  const Result<std::unique_ptr<ForwardPass>> pass = make_pass(*model.value());
  if (!pass.ok()) return pass.error();
  say(std::string("\"ready\":true"));
  std::vector<TokenId> prompt;
  for (std::string line; std::getline(std::cin, line);)
    say(answer(*pass.value(), *model.value(), prompt, line));
  return {};
}

}  // namespace

}  // namespace emberline

int main(int argc, char** argv) {
  const std::optional<emberline::ProgramArguments> arguments = emberline::read_arguments(argc, argv);
  if (!arguments) {
    std::cerr << "usage: emberline_forward_bench MODEL THREADS [metal return|indirect [LIBRARY]]\n";
    return 2;
  }
  const emberline::Status status = emberline::run(*arguments);
  if (status.ok()) return 0;
  emberline::say(emberline::Result<std::string>(status));
  return 1;
}
