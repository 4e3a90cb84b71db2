// What the addon does with several threads, without Node: a thread for each model, another one that asks,
// cancels and closes at any moment. For the thread sanitizer; what is said is compared all the same.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <latch>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "addon/work_thread.h"
#include "engine/model.h"
#include "engine/session.h"
#include "grammar/grammar.h"
#include "take.h"
#include "temporary_directory.h"
#include "toy_model.h"

namespace emberline::testing {
namespace {

constexpr int kSample = 12, kWhole = 300;
constexpr std::uint32_t kContext = 256;

class File {
 public:
  File() {
    ToyModel toy;
    toy.output_scale = 2;
    toy.end_tokens = false;
    EXPECT_TRUE(toy.writer().write(path()));
  }
  std::string path() const { return directory_.file("toy.gguf"); }
  ModelOptions options() const {
    ModelOptions options;
    options.path = path();
    options.device = "cpu";
    options.threads = 2;
    return options;
  }
  std::string folder() const { return directory_.file("packed"); }

 private:
  TemporaryDirectory directory_;
};

CompletionRequest request_of(std::string prompt, std::uint32_t tokens) {
  CompletionRequest request;
  request.prompt = std::move(prompt);
  request.max_tokens = tokens;
  request.single_line = false;
  return request;
}

const std::string kLongPrompt = [] {
  std::string text;
  for (int i = 0; i < 6; ++i) text += "def f(x):\n    return x = 1\n";
  return text;
}();

std::vector<TokenId> said(Session& session) {
  return take(session.complete(request_of("def f(x):\n    return", 8))).ids;
}

// Passes about as much time as `turns` looks at a clock.
void linger(std::uint64_t turns) {
  for (std::uint64_t turn = 0; turn < turns; ++turn) std::this_thread::yield();
}

// A model on a thread of its own, as ModelHost has it.
class Host {
 public:
  explicit Host(const ModelOptions& options) {
    EXPECT_TRUE(thread_.start().ok());
    thread_.post([this, options] {
      Result<std::shared_ptr<Model>> loaded = Model::load(options);
      if (loaded.ok() && !closing_) model_ = std::move(loaded).value();
      if (model_ != nullptr) session_ = take(Session::create(model_, kContext));
    });
  }
  ~Host() { close(); }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // `cancel` is looked at while it runs; `stop` is written before `ended` counts down.
  void complete(const std::atomic<bool>& cancel, StopReason& stop, std::latch& ended) {
    const bool posted = thread_.post([this, &cancel, &stop, &ended] {
      CompletionRequest request = request_of(kLongPrompt, 60);
      request.cancel = &cancel;
      if (session_ != nullptr) stop = take(session_->complete(request)).stop;
      ended.count_down();
    });
    EXPECT_TRUE(posted);
  }
  void say(std::vector<TokenId>& ids, std::latch& ended) {
    thread_.post([this, &ids, &ended] {
      ids = said(*session_);
      ended.count_down();
    });
  }
  void close() {
    closing_ = true;
    thread_.finish([this] {
      session_.reset();
      model_.reset();
    });
    thread_.join();
  }

 private:
  std::atomic<bool> closing_{false};
  std::shared_ptr<Model> model_;
  std::unique_ptr<Session> session_;
  addon::WorkThread thread_;
};

void cancel_at_any_moment(int rounds) {
  const File file;
  std::mt19937_64 random(1);
  Host host(file.options());
  std::vector<TokenId> expected;
  {
    std::latch ended(1);
    host.say(expected, ended);
    ended.wait();
  }
  for (int round = 0; round < rounds; ++round) {
    std::atomic<bool> cancel = false;
    StopReason stop = StopReason::kMaxTokens;
    std::latch ended(1);
    host.complete(cancel, stop, ended);
    linger(random() % 400);
    cancel = true;
    ended.wait();
    EXPECT_TRUE(stop == StopReason::kCancelled || stop == StopReason::kMaxTokens);
    std::vector<TokenId> ids;
    std::latch said_again(1);
    host.say(ids, said_again);
    said_again.wait();
    EXPECT_EQ(ids, expected) << "round " << round;
  }
}

// During the load, the prefill or the decode, as it falls.
void close_at_any_moment(int rounds) {
  const File file;
  std::mt19937_64 random(2);
  for (int round = 0; round < rounds; ++round) {
    std::atomic<bool> cancel = false;
    StopReason stop = StopReason::kCancelled;
    std::latch ended(1);
    ModelOptions options = file.options();
    // Whether it is packed, read from a copy, or a copy is being written.
    if (round % 2 == 1) options.packed_folder = file.folder();
    Host host(options);
    host.complete(cancel, stop, ended);
    linger(random() % 3000);
    cancel = true;
    host.close();
    ended.wait();
    EXPECT_TRUE(stop == StopReason::kCancelled || stop == StopReason::kMaxTokens);
    if (round % 6 == 5) std::filesystem::remove_all(file.folder());
  }
}

// Two models on two threads, each with two sessions, all of which follow one grammar at once.
void share_a_grammar(int rounds) {
  const File file;
  const auto grammar =
      take(grammar::Grammar::from_gbnf("root ::= \"{\" [a-z]{1,4} \":\" [0-9]{1,3} \"}\"\n"));
  const auto follow = [&](Session& session) {
    CompletionRequest request = request_of("As JSON: ", 12);
    request.grammar = grammar;
    return take(session.complete(request)).ids;
  };
  const auto all_of = [&](std::vector<std::vector<TokenId>>& texts) {
    const std::shared_ptr<Model> model = take(Model::load(file.options()));
    const auto one = take(Session::create(model, kContext));
    const auto two = take(Session::create(model, kContext));
    for (int round = 0; round < rounds; ++round) {
      texts.push_back(follow(*one));
      texts.push_back(said(*two));
      texts.push_back(follow(*two));
      const auto fork = take(two->fork());
      texts.push_back(said(*fork));
    }
  };
  std::vector<std::vector<TokenId>> first, second;
  std::thread other([&] { all_of(second); });
  all_of(first);
  other.join();
  EXPECT_EQ(first, second);
}

void post_from_many_threads(int rounds) {
  for (int round = 0; round < rounds; ++round) {
    addon::WorkThread thread;
    ASSERT_TRUE(thread.start().ok());
    int ran = 0;  // of the thread's alone
    std::atomic<int> posted = 0;
    const auto post = [&] {
      for (int job = 0; job < 50; ++job) {
        if (thread.post([&ran] { ++ran; })) ++posted;
      }
    };
    std::thread one(post), two(post);
    linger(static_cast<std::uint64_t>(round));
    int before_the_end = -1;
    thread.finish([&] { before_the_end = ran; });
    thread.join();
    one.join();
    two.join();
    EXPECT_EQ(before_the_end, posted.load());
    EXPECT_FALSE(thread.post([] {}));
  }
}

TEST(Threads, ACancelAtAnyMomentEndsARequestAndLeavesTheNextRight) {
  cancel_at_any_moment(kSample);
}
TEST(Threads, AModelIsClosedAtAnyMoment) {
  close_at_any_moment(kSample);
}
TEST(Threads, ModelsAndSessionsFollowOneGrammarAtOnce) {
  share_a_grammar(2);
}
TEST(Threads, JobsOfManyThreadsRunBeforeTheEnd) {
  post_from_many_threads(kSample);
}

TEST(ThreadsDeep, ACancelAtAnyMomentEndsARequestAndLeavesTheNextRight) {
  cancel_at_any_moment(kWhole);
}
TEST(ThreadsDeep, AModelIsClosedAtAnyMoment) {
  close_at_any_moment(kWhole);
}
TEST(ThreadsDeep, ModelsAndSessionsFollowOneGrammarAtOnce) {
  share_a_grammar(30);
}
TEST(ThreadsDeep, JobsOfManyThreadsRunBeforeTheEnd) {
  post_from_many_threads(kWhole);
}

}  // namespace
}  // namespace emberline::testing
