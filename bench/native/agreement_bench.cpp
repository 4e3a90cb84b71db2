// How near this engine's distributions are to llama.cpp's: LIBRARY_FOLDER MODEL TEXT_FILE POSITIONS THREADS
// [REFERENCE].
//
// Both read the same tokens, one position behind the other in batches of kVerifyRows; at each the next
// token's distributions are compared. Prints one line of JSON. REFERENCE is MODEL with weights in F32, of
// which llama.cpp rounds nothing: then both engines' distributions of MODEL are compared with llama.cpp's of
// that, llama.cpp's own as "peer".
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "../peer/llama_library.h"
#include "base/try.h"
#include "engine/model_impl.h"
#include "model/forward_pass.h"
#include "program_model.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

namespace {

using emberline_bench::LlamaBatch;
using emberline_bench::LlamaContext;
using emberline_bench::LlamaLibrary;

// A choice of the reference is clear that is so many times as probable as the next: 1.28 times. At the
// others two right engines differ by their roundings.
constexpr double kClearMargin = 0.25;  // nats

struct Comparison {
  std::uint32_t positions = 0, same_choice = 0;
  std::uint32_t clear = 0, same_clear_choice = 0;  // of positions where the reference's choice is clear
  double divergence = 0, largest_divergence = 0;   // Kullback and Leibler's, from the reference
  double largest_difference = 0;                   // of the logits, each less its log-sum-exp

  // Logits of one position.
  void add(std::span<const float> compared, std::span<const float> reference) {
    const double own_norm = log_sum_exp(compared), reference_norm = log_sum_exp(reference);
    double sum = 0;
    for (std::size_t i = 0; i < reference.size(); ++i) {
      const double own = compared[i] - own_norm, right = reference[i] - reference_norm;
      sum += std::exp(right) * (right - own);
      largest_difference = std::max(largest_difference, std::fabs(right - own));
    }
    ++positions;
    divergence += sum;
    largest_divergence = std::max(largest_divergence, sum);
    const std::size_t choice = largest(reference);
    const bool same = largest(compared) == choice;
    same_choice += same ? 1 : 0;
    if (!is_clear(reference, choice)) return;
    ++clear;
    same_clear_choice += same ? 1 : 0;
  }

 private:
  static std::size_t largest(std::span<const float> x) {
    return static_cast<std::size_t>(std::max_element(x.begin(), x.end()) - x.begin());
  }
  static bool is_clear(std::span<const float> x, std::size_t choice) {
    const auto near = [&](float value) { return value > x[choice] - kClearMargin; };
    return std::count_if(x.begin(), x.end(), near) == 1;
  }
  static double log_sum_exp(std::span<const float> x) {
    const double max = x[largest(x)];
    double sum = 0;
    for (const float value : x) sum += std::exp(value - max);
    return max + std::log(sum);
  }
};

struct Arguments {
  const char* library;
  ProgramArguments model;
  const char* text;
  std::uint32_t positions;
  const char* reference;  // null: MODEL as the peer reads it
};

struct Comparisons {
  Comparison ours;
  std::optional<Comparison> peer;  // where the reference is another file
};

// llama.cpp with one file.
class Peer {
 public:
  Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  Status open(const Arguments& arguments, const char* path, bool rounds_nothing) {
    const auto failed = [](const std::string& why) { return Status(ErrorCode::kDeviceUnavailable, why); };
    std::string wrong = emberline_bench::open_llama_library(arguments.library, library_);
    emberline_bench::ParameterBlock parameters;
    const std::uint32_t context = (arguments.positions + 255) / 256 * 256;
    if (wrong.empty()) wrong = context_parameters(library_, {context, 512, 512}, parameters);
    if (wrong.empty() && rounds_nothing) wrong = round_nothing(parameters);
    if (!wrong.empty()) return failed(wrong);
    auto* model = library_.model_load_from_file(path, library_.model_default_params());
    if (model == nullptr) return failed("llama.cpp cannot load the model.");
    context_ = library_.init_from_model(model, parameters);
    if (context_ == nullptr) return failed("llama.cpp cannot make a context for the model.");
    library_.set_n_threads(context_, arguments.model.threads, arguments.model.threads);
    vocabulary_ = static_cast<std::size_t>(library_.vocab_n_tokens(library_.model_get_vocab(model)));
    return {};
  }

  std::size_t vocabulary() const { return vocabulary_; }

  Status evaluate(std::span<const TokenId> tokens, std::uint32_t position) {
    LlamaBatch batch = library_.batch_init(static_cast<std::int32_t>(tokens.size()), 0, 1);
    batch.n_tokens = static_cast<std::int32_t>(tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      batch.token[i] = static_cast<std::int32_t>(tokens[i]);
      batch.pos[i] = static_cast<std::int32_t>(position + i);
      batch.n_seq_id[i] = 1;
      batch.seq_id[i][0] = 0;
      batch.logits[i] = 1;
    }
    const std::int32_t status = library_.decode(context_, batch);
    library_.synchronize(context_);
    library_.batch_free(batch);
    if (status == 0) return {};
    return Status(ErrorCode::kDeviceFailed,
                  "llama_decode failed with status " + std::to_string(status) + ".");
  }

  std::span<const float> logits(std::size_t row) const {
    return {library_.get_logits_ith(context_, static_cast<std::int32_t>(row)), vocabulary_};
  }

 private:
  LlamaLibrary library_{};
  LlamaContext* context_ = nullptr;
  std::size_t vocabulary_ = 0;
};

// As a request's prompt.
Result<std::vector<TokenId>> read_tokens(const Arguments& arguments, const Tokenizer& tokenizer) {
  std::ifstream file(arguments.text, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<TokenId> tokens = tokenizer.encode(text, false);
  if (tokenizer.adds_bos()) tokens.insert(tokens.begin(), tokenizer.bos());
  if (tokens.size() < arguments.positions) {
    return Status(ErrorCode::kInvalidArgument,
                  "The text has " + std::to_string(tokens.size()) + " tokens only; ask for fewer positions.");
  }
  tokens.resize(arguments.positions);
  return tokens;
}

Result<Comparisons> compare(const Arguments& arguments) {
  TRY_VALUE(const std::shared_ptr<Model> model, load_model(arguments.model));
  Model::Impl& loaded = model->impl();
  TRY_VALUE(const std::vector<TokenId> tokens, read_tokens(arguments, *loaded.parts.tokenizer));
  TRY_VALUE(const std::unique_ptr<ForwardPass> pass,
            ForwardPass::create(loaded.on_device(), arguments.positions));
  Peer peer, peer_of_reference;
  TRY(peer.open(arguments, arguments.model.model.c_str(), false));
  if (arguments.reference != nullptr) TRY(peer_of_reference.open(arguments, arguments.reference, true));
  Peer& reference = arguments.reference != nullptr ? peer_of_reference : peer;
  std::vector<float> logits(loaded.parts.hyperparameters.vocabulary);
  if (logits.size() != reference.vocabulary() || logits.size() != peer.vocabulary())
    return Status(ErrorCode::kInvalidArgument, "The vocabulary has another size in llama.cpp.");
  Comparisons comparisons;
  if (arguments.reference != nullptr) comparisons.peer.emplace();
  for (std::size_t done = 0; done < tokens.size(); done += kVerifyRows) {
    const auto batch =
        std::span(tokens).subspan(done, std::min<std::size_t>(kVerifyRows, tokens.size() - done));
    const auto position = static_cast<std::uint32_t>(done);
    TRY_VALUE([[maybe_unused]] const ReplayOutcome outcome, pass->verify(batch, position, nullptr));
    TRY(reference.evaluate(batch, position));
    if (comparisons.peer) TRY(peer.evaluate(batch, position));
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      TRY(pass->read_logits(row, logits));
      comparisons.ours.add(logits, reference.logits(row));
      if (comparisons.peer) comparisons.peer->add(peer.logits(row), reference.logits(row));
    }
  }
  return comparisons;
}

std::string as_json(const Comparison& c) {
  std::ostringstream json;
  json << "{\"positions\":" << c.positions << ",\"same_choice\":" << c.same_choice << ",\"clear\":" << c.clear
       << ",\"same_clear_choice\":" << c.same_clear_choice
       << ",\"mean_divergence\":" << c.divergence / c.positions
       << ",\"largest_divergence\":" << c.largest_divergence
       << ",\"largest_log_difference\":" << c.largest_difference << "}";
  return json.str();
}

int run(const Arguments& arguments) {
  const Result<Comparisons> compared = compare(arguments);
  if (!compared.ok()) {
    std::cerr << compared.error().message() << std::endl;
    return 1;
  }
  const Comparisons& both = compared.value();
  std::cout << "{\"ours\":" << as_json(both.ours)
            << ",\"peer\":" << (both.peer ? as_json(*both.peer) : "null") << "}" << std::endl;
  return 0;
}

}  // namespace

}  // namespace emberline

int main(int count, char** arguments) {
  using emberline::Arguments;
  if (count != 6 && count != 7) {
    std::cerr << "The usage is: emberline_agreement_bench LIBRARY_FOLDER MODEL TEXT_FILE POSITIONS THREADS "
                 "[REFERENCE]."
              << std::endl;
    return 2;
  }
  const int positions = std::atoi(arguments[4]);
  if (positions < 1) return 2;
  const int status = emberline::run(Arguments{arguments[1],
                                              {.model = arguments[2], .threads = std::atoi(arguments[5])},
                                              arguments[3],
                                              static_cast<std::uint32_t>(positions),
                                              count == 7 ? arguments[6] : nullptr});
  // The library's own threads and static objects end badly when unloaded in the wrong order.
  std::_Exit(status);
}
