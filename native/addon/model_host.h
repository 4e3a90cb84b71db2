// One loaded model and the thread it runs on. Everything that touches the model happens on that thread, in
// the order it was asked for; the JS thread only hands jobs over and sets flags.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "addon/arguments.h"
#include "addon/environment.h"
#include "addon/guarded.h"
#include "addon/js_values.h"
#include "addon/work_thread.h"
#include "decode/progress.h"
#include "engine/dispatch_list.h"
#include "engine/mask_measure.h"
#include "engine/model.h"
#include "engine/session.h"

namespace emberline::addon {

// A completion as the JS thread asked for it.
struct CompletionJob {
  std::uint64_t id = 0;
  std::vector<TextOrToken> prompt;
  std::u16string required_prefix, grammar_prefix;
  std::vector<std::u16string> references;
  CompletionRequest request;  // all but the texts, the cancel flag and on_text
  bool streams = false;
};

class ModelHost : public Worker {
 public:
  using SessionKey = std::uint64_t;

  explicit ModelHost(Environment& environment) : environment_(environment) {}

  // --- JS thread ---

  // Starts the thread and loads the model on it. Settles `ticket` with what `loaded` makes of it, or an
  // error.
  void load(napi_env env, const Environment::Ticket& ticket, ModelOptions options,
            Environment::MakeValue loaded);
  const ModelInfo& info() const { return info_; }  // valid once loaded

  bool closing() const { return closing_.load(); }
  // Cancels everything and lets the thread end; what is queued settles with MODEL_CLOSED. Does not wait.
  // Idempotent.
  void close();
  // Settles `ticket` with undefined once the model's memory is free and its thread has nothing to do any
  // more.
  void when_closed(napi_env env, const Environment::Ticket& ticket);

  // Runs `work` on the engine's thread and settles `ticket` with what `make_value` makes of its value, or its
  // error.
  template <typename T>
  void submit(napi_env env, const Environment::Ticket& ticket, std::function<Result<T>()> work,
              std::function<napi_value(napi_env, T&)> make_value);

  // Cancels the session's requests and frees it. `ticket` null: nobody waits.
  void close_session(napi_env env, SessionKey session, const Environment::Ticket& ticket);

  // A request is known from complete() until its promise is settled.
  bool has_request(SessionKey session, std::uint64_t id) const { return requests_.contains({session, id}); }
  void forget_request(SessionKey session, std::uint64_t id) { requests_.erase({session, id}); }
  void complete(napi_env env, const Environment::Ticket& ticket, SessionKey session, CompletionJob job);
  void cancel(napi_env env, SessionKey session, std::uint64_t id);

  // What the engine's thread is at, at this moment. Waits for nothing.
  const Progress& progress() const { return progress_; }
  std::uint64_t turns() const { return thread_.turns(); }

  // --- engine thread ---

  Result<SessionKey> create_session(std::uint32_t context);
  // A session that has seen what `session` has (Session::fork).
  Result<SessionKey> fork_session(SessionKey session);
  const Tokenizer& tokenizer() const { return model_->tokenizer(); }
  Result<std::vector<float>> logits(const std::vector<std::uint32_t>& ids);
  Result<std::vector<DispatchDescription>> dispatches(std::uint32_t rows, bool sampled) {
    return list_dispatches(*model_, rows, sampled);
  }

  Result<std::vector<double>> mask_times(std::shared_ptr<const grammar::Grammar> grammar,
                                         std::string_view instance) {
    return measure_masks(*model_, std::move(grammar), instance);
  }

  void stop() override { close(); }
  void join() override { thread_.join(); }
  void told(napi_env env) override;

 private:
  using Clock = std::chrono::steady_clock;

  // A request is settled either by the engine, once it has begun, or by cancel() before that: whoever moves
  // `stage` first.
  struct Request {
    enum class Stage { kQueued, kRunning, kSettled };
    std::atomic<Stage> stage{Stage::kQueued};
    std::atomic<bool> cancel{false};
    std::atomic<Clock::rep> cancelled_at{0};  // ticks since the clock's epoch; set before `cancel`
    Clock::time_point submitted = Clock::now();
    Environment::Ticket ticket;
  };
  using RequestKey = std::pair<SessionKey, std::uint64_t>;

  static Status closed_error() { return {ErrorCode::kModelClosed, "The model was closed; load it again."}; }

  // On the engine's thread; false: the model is of no use to anybody.
  bool load(const Environment::Ticket& ticket, const ModelOptions& options,
            const Environment::MakeValue& loaded);
  Result<SessionKey> keep(Result<std::unique_ptr<Session>> session);
  void run(RequestKey key, const std::shared_ptr<Request>& request, CompletionJob& job);
  void cancel(napi_env env, const std::shared_ptr<Request>& request);
  void closed(napi_env env);

  Environment& environment_;
  std::atomic<bool> closing_{false};
  std::atomic<bool> ended_{false};  // the thread does nothing any more
  Progress progress_;               // of the request that runs, or ran last

  // JS thread.
  ModelInfo info_;
  std::map<RequestKey, std::shared_ptr<Request>> requests_;
  std::vector<Environment::Ticket> waiting_for_close_;
  bool closed_ = false;

  // Engine thread.
  std::shared_ptr<Model> model_;
  std::map<SessionKey, std::unique_ptr<Session>> sessions_;
  SessionKey next_session_ = 1;
  std::unique_ptr<Session> logits_session_;
  std::size_t logits_capacity_ = 0;

  WorkThread thread_;  // last: joined before what it uses goes
};

template <typename T>
void ModelHost::submit(napi_env env, const Environment::Ticket& ticket, std::function<Result<T>()> work,
                       std::function<napi_value(napi_env, T&)> make_value) {
  const bool posted =
      thread_.post([this, ticket, work = std::move(work), make_value = std::move(make_value)] {
        Result<T> made = closing() ? Result<T>(closed_error()) : guarded(work);
        [[maybe_unused]] SessionKey created = 0;
        if constexpr (std::is_same_v<T, SessionKey>) created = made.ok() ? made.value() : 0;
        const bool answered = environment_.answer(ticket, [&] {
          const auto result = std::make_shared<Result<T>>(std::move(made));
          environment_.settle(ticket, [result, make_value](napi_env js) {
            return result->ok() ? js_ok(js, make_value(js, result->value())) : js_error(js, result->error());
          });
        });
        if constexpr (std::is_same_v<T, SessionKey>) {
          if (!answered) sessions_.erase(created);  // nobody will ever close it
        }
      });
  if (!posted) environment_.resolve(env, ticket, js_error(env, closed_error()));
}

}  // namespace emberline::addon
