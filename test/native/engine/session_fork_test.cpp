// Sessions that share a prefix: nothing one does is seen by another, and what they share is held once.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "decode/prompt_prefill.h"
#include "device/cpu/cpu_device.h"
#include "engine/model_impl.h"
#include "toy_pass.h"
#include "toy_session.h"

namespace emberline::testing {
namespace {

std::unique_ptr<Device> fast_device() {
  CpuDeviceOptions options;
  options.threads = 1;
  return take(make_cpu_device(options));
}

ToyModel long_toy() {
  ToyModel toy;
  toy.layers = 1;
  toy.context = 1024;
  return toy;
}

CompletionRequest forked_request(std::string prompt) {
  CompletionRequest request;
  request.prompt = std::move(prompt);
  request.max_tokens = 24;
  request.single_line = false;
  return request;
}

std::size_t used_pages(const std::shared_ptr<Model>& model) {
  const KvPool& pool = *model->impl().kv_memory->kinds().front().pool;
  return pool.pages() - pool.free_pages();
}

// Of about as many tokens as bytes.
std::string long_text(std::size_t bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text;
  while (text.size() < bytes) text.push_back(static_cast<char>('a' + random() % 26));
  return text;
}

TEST(SessionFork, BothGoOnAsIfTheyWereAlone) {
  const auto model = load_toy(long_toy(), fast_device());
  const auto origin = take(Session::create(model, 1024));
  const std::string prefix = long_text(700, 1);
  take(origin->complete(forked_request(prefix)));
  const auto fork = take(origin->fork());
  std::vector<std::string> prompts[2] = {{prefix + "one", prefix.substr(0, 300) + "two", prefix},
                                         {prefix + "three", prefix.substr(0, 650) + "four", "five"}};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t which : {0u, 1u}) {
      Session& session = which == 0 ? *origin : *fork;
      const Completion shared = take(session.complete(forked_request(prompts[which][i])));
      const Completion alone =
          take(take(Session::create(model, 1024))->complete(forked_request(prompts[which][i])));
      EXPECT_EQ(shared.ids, alone.ids);
      EXPECT_EQ(shared.confidence, alone.confidence);
      EXPECT_TRUE(i > 0 || shared.timings.reused_tokens >= prefix.size() / 2) << "nothing was reused";
    }
  }
}

TEST(SessionFork, SharedPagesAreHeldOnce) {
  const auto model = load_toy(long_toy(), fast_device());
  auto origin = take(Session::create(model, 1024));
  take(origin->complete(forked_request(long_text(700, 2))));
  const std::size_t held = used_pages(model);
  ASSERT_GE(held, 3u);
  std::vector<std::unique_ptr<Session>> forks;
  for (int i = 0; i < 8; ++i) forks.push_back(take(origin->fork()));
  EXPECT_EQ(used_pages(model), held);
  take(forks[0]->complete(forked_request(long_text(700, 2) + "x")));
  EXPECT_LE(used_pages(model), held + 2);  // the last page, and perhaps one behind it
  origin.reset();
  forks.clear();
  EXPECT_EQ(used_pages(model), 0u);
}

TEST(SessionFork, AForkOutlivesItsOrigin) {
  const auto model = load_toy(long_toy(), fast_device());
  auto origin = take(Session::create(model, 1024));
  const std::string prefix = long_text(400, 3);
  take(origin->complete(forked_request(prefix)));
  const auto fork = take(origin->fork());
  origin.reset();
  const auto other = take(Session::create(model, 1024));  // takes what the origin left
  take(other->complete(forked_request(long_text(900, 4))));
  const Completion completion = take(fork->complete(forked_request(prefix + "y")));
  EXPECT_GT(completion.timings.reused_tokens, 200u);
  EXPECT_EQ(completion.ids,
            take(take(Session::create(model, 1024))->complete(forked_request(prefix + "y"))).ids);
}

// One of several streams of tokens over a model, and what a naive model knows of it: the tokens, and for each
// page who wrote it.
struct Stream {
  std::unique_ptr<ForwardPass> pass;
  std::unique_ptr<PromptPrefill> prefill;
  std::vector<TokenId> cached;
  std::vector<int> writers;
};

class Streams {
 public:
  Streams() : toy_(long_toy(), 1024, fast_device()) {
    add(take(ForwardPass::create(toy_.on_device(), 1024)), {}, {});
  }

  std::size_t size() const { return streams_.size(); }
  const Stream& operator[](std::size_t i) const { return streams_[i]; }
  std::uint32_t vocabulary() const { return toy_.hyperparameters.vocabulary; }

  void fork(std::size_t i) {
    add(take(streams_[i].pass->fork()), streams_[i].cached, streams_[i].writers);
    EXPECT_EQ(streams_.back().prefill->cached(), streams_.back().cached);
  }
  void close(std::size_t i) { streams_.erase(streams_.begin() + static_cast<std::ptrdiff_t>(i)); }

  // Evaluates `ids` in stream i: the logits must be those of a pass that has seen nothing else.
  void evaluate(std::size_t i, const std::vector<TokenId>& ids) {
    Stream& stream = streams_[i];
    const auto differ = std::mismatch(stream.cached.begin(), stream.cached.end(), ids.begin(), ids.end() - 1);
    const auto kept = static_cast<std::size_t>(differ.first - stream.cached.begin());
    EXPECT_EQ(take(stream.prefill->run(ids, nullptr)).reused, kept);
    EXPECT_EQ(logits(*stream.pass), fresh_logits(ids));
    stream.cached = ids;
    write(stream, kept, ids.size());
  }

  void check_pages() const {
    std::set<int> writers;
    for (const Stream& stream : streams_) writers.insert(stream.writers.begin(), stream.writers.end());
    const KvPool& pool = *toy_.kv_memory->kinds().front().pool;
    EXPECT_EQ(pool.pages() - pool.free_pages(), writers.size());
  }

 private:
  void add(std::unique_ptr<ForwardPass> pass, std::vector<TokenId> cached, std::vector<int> writers) {
    auto prefill = std::make_unique<PromptPrefill>(*pass, cached);
    streams_.push_back({std::move(pass), std::move(prefill), std::move(cached), std::move(writers)});
  }
  void write(Stream& stream, std::size_t begin, std::size_t end) {
    const auto pages = [](std::size_t positions) {
      return (positions + kKvPagePositions - 1) / kKvPagePositions;
    };
    stream.writers.resize(pages(begin));
    for (std::size_t page = begin / kKvPagePositions; page < pages(end); ++page) {
      const auto holds = [&](const Stream& other) {
        return &other != &stream && page < other.writers.size() && page < stream.writers.size() &&
               other.writers[page] == stream.writers[page];
      };
      if (page == stream.writers.size()) {
        stream.writers.push_back(next_writer_++);
      } else if (std::any_of(streams_.begin(), streams_.end(), holds)) {
        stream.writers[page] = next_writer_++;
      }
    }
  }
  std::vector<float> logits(ForwardPass& pass) {
    std::vector<float> logits(pass.vocabulary());
    EXPECT_TRUE(pass.read_logits(0, logits).ok());
    return logits;
  }
  std::vector<float> fresh_logits(const std::vector<TokenId>& ids) {
    const auto pass = take(ForwardPass::create(toy_.on_device(), 1024));
    take(PromptPrefill(*pass, {}).run(ids, nullptr));
    return logits(*pass);
  }

  ToyPass toy_;
  std::vector<Stream> streams_;
  int next_writer_ = 0;
};

TEST(SessionFork, AnySequenceOfEditsForksAndClosesFollowsANaiveModel) {
  Streams streams;
  std::mt19937_64 random(9);
  std::size_t most = 0;
  for (int step = 0; step < 150; ++step) {
    const std::size_t i = random() % streams.size();
    const std::uint64_t action = random() % 10;
    if (action < 2 && streams.size() < 6) {
      streams.fork(i);
    } else if (action < 3 && streams.size() > 1) {
      streams.close(i);
    } else {
      std::vector<TokenId> ids = streams[i].cached;
      if (!ids.empty() && random() % 3 == 0) ids.resize(random() % ids.size());
      const std::size_t room = std::min<std::size_t>(1024 - ids.size(), random() % 4 == 0 ? 400 : 40);
      const auto more = random_tokens(ids.empty() ? 1 + random() % room : random() % (room + 1),
                                      streams.vocabulary(), random());
      ids.insert(ids.end(), more.begin(), more.end());
      streams.evaluate(i, ids);
    }
    streams.check_pages();
    most = std::max(most, streams.size());
    if (::testing::Test::HasFailure()) FAIL() << "step " << step;
  }
  EXPECT_GE(most, 4u) << "hardly anything was shared";
}

}  // namespace
}  // namespace emberline::testing
