// Times llama.cpp without Node around it: LIBRARY_FOLDER MODEL THREADS pool|no-pool [later].
//
// Reads a request a line from standard input and answers each with a line of JSON, as every worker of the
// bench does; bench/README.md lists the requests. All times are milliseconds of a steady clock.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "llama_library.h"

namespace emberline_bench {

namespace {

using Token = std::int32_t;

constexpr ContextSize kSize{.context = 4096, .batch = 512, .physical_batch = 512};
constexpr std::int32_t kSequence = 0;

// What ends a request: the sentence the bench shows.
struct Failure {
  std::string message;
};

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct Threads {
  int count;
  bool pool;  // kept from one forward pass to the next; otherwise llama.cpp makes new ones for each
};

class Peer {
 public:
  Peer(const LlamaLibrary& library, std::string path, Threads threads)
      : library_(library), path_(std::move(path)), threads_(threads) {}
  ~Peer() { close(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void open() {
    close();
    ParameterBlock params;
    const std::string wrong = context_parameters(library_, kSize, params);
    if (!wrong.empty()) throw Failure{wrong};
    model_ = library_.model_load_from_file(path_.c_str(), library_.model_default_params());
    if (model_ == nullptr) throw Failure{"llama.cpp cannot load " + path_ + "."};
    context_ = library_.init_from_model(model_, params);
    if (context_ == nullptr) throw Failure{"llama.cpp cannot make a context for " + path_ + "."};
    if (pool_ == nullptr && threads_.pool) pool_ = make_thread_pool(library_, threads_.count);
    if (pool_ == nullptr && threads_.pool) throw Failure{"llama.cpp cannot make a pool of threads."};
    if (pool_ != nullptr) library_.attach_threadpool(context_, pool_, pool_);
    library_.set_n_threads(context_, threads_.count, threads_.count);
    const bool as_asked = library_.n_ctx(context_) == kSize.context &&
                          library_.n_batch(context_) == kSize.batch &&
                          library_.n_ubatch(context_) == kSize.physical_batch &&
                          library_.n_threads(context_) == threads_.count &&
                          library_.n_threads_batch(context_) == threads_.count;
    if (!as_asked)
      throw Failure{
          "llama.cpp did not take the context's parameters: this bench is made for another version."};
    vocabulary_ = library_.vocab_n_tokens(library_.model_get_vocab(model_));
  }

  // Forgets every token.
  void clear() { library_.memory_clear(library_.get_memory(context_), false); }

  // Forgets what stands at `position` and after it.
  void keep(std::size_t position) {
    library_.memory_seq_rm(library_.get_memory(context_), kSequence, static_cast<std::int32_t>(position), -1);
  }

  enum class Logits { kLast, kAll };

  // One forward pass of `tokens` at `position`, in batches of at most kSize.batch.
  void evaluate(std::span<const Token> tokens, std::size_t position, Logits logits = Logits::kLast) {
    for (std::size_t done = 0; done < tokens.size();) {
      const std::size_t count = std::min<std::size_t>(tokens.size() - done, kSize.batch);
      LlamaBatch batch = library_.batch_init(static_cast<std::int32_t>(count), 0, 1);
      batch.n_tokens = static_cast<std::int32_t>(count);
      for (std::size_t i = 0; i < count; ++i) {
        batch.token[i] = tokens[done + i];
        batch.pos[i] = static_cast<std::int32_t>(position + done + i);
        batch.n_seq_id[i] = 1;
        batch.seq_id[i][0] = kSequence;
        batch.logits[i] = logits == Logits::kAll || done + i + 1 == tokens.size();
      }
      const std::int32_t status = library_.decode(context_, batch);
      library_.synchronize(context_);
      library_.batch_free(batch);
      if (status != 0) throw Failure{"llama_decode failed with status " + std::to_string(status) + "."};
      done += count;
    }
  }

  // Logits after the last token evaluated.
  std::span<const float> last_logits() {
    return {library_.get_logits_ith(context_, -1), static_cast<std::size_t>(vocabulary_)};
  }

  Token greedy() {
    const std::span<const float> logits = last_logits();
    return static_cast<Token>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  }

 private:
  void close() {
    if (context_ != nullptr) library_.free_context(context_);
    if (model_ != nullptr) library_.model_free(model_);
    context_ = nullptr;
    model_ = nullptr;
  }

  const LlamaLibrary& library_;
  std::string path_;
  Threads threads_;
  LlamaModel* model_ = nullptr;
  LlamaContext* context_ = nullptr;
  GgmlPool* pool_ = nullptr;
  std::int32_t vocabulary_ = 0;
};

// The requests, and what they share.
class Worker {
 public:
  explicit Worker(Peer& peer) : peer_(peer) {}

  // Gives the members of the answer, without braces.
  std::string answer(const std::string& line) {
    std::istringstream words(line);
    std::string request;
    words >> request;
    if (request == "prompt") return set_prompt(words);
    if (request == "prefill") return prefill();
    if (request == "decode") return decode(number(words));
    if (request == "forward") return forward(number(words));
    if (request == "reuse") return reuse(number(words), number(words));
    if (request == "load") return load();
    if (request == "logits") return write_logits(words);
    throw Failure{"There is no request '" + request + "'."};
  }

 private:
  static std::size_t number(std::istream& words) {
    std::size_t value = 0;
    if (!(words >> value) || value == 0) throw Failure{"A request lacks its number."};
    return value;
  }

  static std::string milliseconds(double ms) { return "\"ms\":" + std::to_string(ms); }

  std::string set_prompt(std::istream& words) {
    prompt_.clear();
    held_ = 0;
    for (Token token; words >> token;) prompt_.push_back(token);
    return "\"tokens\":" + std::to_string(prompt_.size());
  }

  // Evaluates what the cache does not hold of the prompt, and at least its last token, whose logits are
  // wanted.
  void hold_prompt() {
    if (held_ == 0) peer_.clear();
    const std::size_t first = std::min(held_, prompt_.size() - 1);
    peer_.keep(first);
    peer_.evaluate(std::span(prompt_).subspan(first), first);
    held_ = prompt_.size();
  }

  // The whole prompt from nothing, to its first token.
  std::string prefill() {
    peer_.clear();
    const double start = now_ms();
    peer_.evaluate(prompt_, 0);
    peer_.greedy();
    return milliseconds(now_ms() - start);
  }

  // `count` greedy tokens after the prompt: the time from the first to the last of them.
  std::string decode(std::size_t count) {
    hold_prompt();
    std::string ids = std::to_string(peer_.greedy());
    Token token = peer_.greedy();
    const double start = now_ms();
    for (std::size_t i = 1; i < count; ++i) {
      peer_.evaluate({&token, 1}, prompt_.size() + i - 1);
      token = peer_.greedy();
      ids += "," + std::to_string(token);
    }
    return milliseconds(now_ms() - start) + ",\"ids\":[" + ids + "]";
  }

  // One forward pass of `count` tokens after the prompt, with the logits of all.
  std::string forward(std::size_t count) {
    hold_prompt();
    // Of an odd number of passes the median is one of them.
    constexpr int kRepeats = 11;
    const std::span<const Token> tokens =
        std::span<const Token>(prompt_).first(std::min(count, prompt_.size()));
    std::vector<double> times;
    for (int i = 0; i <= kRepeats; ++i) {
      peer_.keep(prompt_.size());
      const double start = now_ms();
      peer_.evaluate(tokens, prompt_.size(), Peer::Logits::kAll);
      times.push_back(now_ms() - start);
    }
    times.erase(times.begin());  // the first one of a size builds the graph
    std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
    return milliseconds(times[kRepeats / 2]);
  }

  // The prompt is known; its last `count` tokens change to others (by `step`): to the first token.
  std::string reuse(std::size_t count, std::size_t step) {
    if (count >= prompt_.size()) throw Failure{"More tokens were to be replaced than there are."};
    hold_prompt();
    const std::size_t kept = prompt_.size() - count;
    std::vector<Token> changed(prompt_.begin() + static_cast<std::ptrdiff_t>(step),
                               prompt_.begin() + static_cast<std::ptrdiff_t>(step + count));
    const double start = now_ms();
    held_ = kept;
    peer_.keep(kept);
    peer_.evaluate(changed, kept);
    peer_.greedy();
    return milliseconds(now_ms() - start);
  }

  // From opening the file to the first token, and the same request once more when all is there.
  std::string load() {
    const double start = now_ms();
    peer_.open();
    peer_.evaluate(prompt_, 0);
    peer_.greedy();
    const double cold = now_ms() - start;
    std::vector<double> warm;
    for (int i = 0; i < 5; ++i) {
      peer_.clear();
      const double again = now_ms();
      peer_.evaluate(prompt_, 0);
      peer_.greedy();
      warm.push_back(now_ms() - again);
    }
    std::nth_element(warm.begin(), warm.begin() + 2, warm.end());
    return milliseconds(cold - warm[2]);
  }

  // The logits after the prompt, as raw float32.
  std::string write_logits(std::istream& words) {
    std::string path;
    std::getline(words >> std::ws, path);
    peer_.clear();
    peer_.evaluate(prompt_, 0);
    const std::span<const float> logits = peer_.last_logits();
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(logits.data()),
               static_cast<std::streamsize>(logits.size_bytes()));
    if (!file.flush()) throw Failure{path + " cannot be written."};
    return "\"vocabulary\":" + std::to_string(logits.size());
  }

  Peer& peer_;
  std::vector<Token> prompt_;
  std::size_t held_ = 0;  // tokens of the prompt that the cache is known to begin with
};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result;
}

void say(const std::string& members) {
  std::cout << "{" << members << "}" << std::endl;
}

int run(int argc, char** argv) {
  LlamaLibrary library;
  const bool usable = argc == 5 || argc == 6;
  const std::string wrong =
      usable ? open_llama_library(argv[1], library)
             : "The usage is: llama_peer LIBRARY_FOLDER MODEL THREADS pool|no-pool [later].";
  if (!wrong.empty()) {
    say("\"error\":\"" + escaped(wrong) + "\"");
    return 1;
  }
  const Threads threads{.count = std::atoi(argv[3]), .pool = std::string_view(argv[4]) == "pool"};
  Peer peer(library, argv[2], threads);
  Worker worker(peer);
  try {
    if (argc == 5) peer.open();
  } catch (const Failure& failure) {
    say("\"error\":\"" + escaped(failure.message) + "\"");
    return 1;
  }
  say("\"ready\":true");
  for (std::string line; std::getline(std::cin, line);) {
    try {
      say(worker.answer(line));
    } catch (const Failure& failure) {
      say("\"error\":\"" + escaped(failure.message) + "\"");
    }
  }
  return 0;
}

}  // namespace

}  // namespace emberline_bench

int main(int argc, char** argv) {
  const int status = emberline_bench::run(argc, argv);
  std::cout.flush();
  // The library's own threads and static objects end badly when unloaded in the wrong order.
  _exit(status);
}
