// The JavaScript thread of a test: it asks a host as the addon's objects do, and keeps their books.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "addon/environment.h"
#include "addon/model_host.h"
#include "interleavings/course.h"
#include "interleavings/stage.h"

namespace emberline::testing {

using addon::Environment;
using Ticket = Environment::Ticket;
using SessionKey = std::uint64_t;

template <typename Host, typename Job>
Job job_of(void (Host::*complete)(napi_env, const Ticket&, SessionKey, Job));

// A model, and what is asked of it.
template <typename Host>
class JsModel {
 public:
  JsModel(Course& course, Environment& environment, const ModelOptions& options)
      : course_(course), environment_(environment), host_(std::make_shared<Host>(environment)) {
    loaded_ = environment_.promise();
    host_->load(environment_.js(), loaded_, options, [](napi_env env) { return env->add({}); });
  }

  Ticket loaded() const { return loaded_; }
  bool closing() const { return host_->closing(); }

  Ticket create() {
    return session_of([host = host_.get()] { return host->create_session(Stage::kContext); });
  }
  Ticket fork(SessionKey origin) {
    return session_of([host = host_.get(), origin] { return host->fork_session(origin); });
  }
  // Waits for a session that is being made.
  SessionKey session(const Ticket& ticket) {
    environment_.until_settled(ticket);
    const JsValue& answer = environment_.answer_of(ticket);
    course_.expect(answer.error == ErrorCode::kOk, "a session is made");
    return answer.number;
  }

  struct Asked {
    Ticket ticket;
    std::uint64_t id;
    std::shared_ptr<int> pieces;  // of its text, so far
  };
  Asked complete(SessionKey session, CompletionRequest request) {
    const std::uint64_t id = next_request_++;
    auto pieces = std::make_shared<int>(0);
    const Ticket ticket =
        environment_.promise([pieces](const std::string&) { ++*pieces; },
                             [host = host_, session, id] { host->forget_request(session, id); });
    Job job;
    job.id = id;
    for (const PromptPart& part : request.prompt.parts()) {
      const std::string& text = std::get<std::string>(part);
      job.prompt.emplace_back(std::u16string(text.begin(), text.end()));
    }
    job.request = std::move(request);
    job.streams = true;
    host_->complete(environment_.js(), ticket, session, std::move(job));
    return {ticket, id, pieces};
  }
  void cancel(SessionKey session, const Asked& asked) { host_->cancel(environment_.js(), session, asked.id); }
  Ticket close_session(SessionKey session) {
    const Ticket ticket = environment_.promise();
    host_->close_session(environment_.js(), session, ticket);
    return ticket;
  }
  // Settles once the thread has ended.
  Ticket close() {
    const Ticket ticket = environment_.promise();
    host_->close();
    host_->when_closed(environment_.js(), ticket);
    return ticket;
  }

  // What a short request says, asked for and waited for.
  void expect_right_text(SessionKey session) {
    const Asked asked = complete(session, Stage::short_request());
    environment_.until_settled(asked.ticket);
    const JsValue& answer = environment_.answer_of(asked.ticket);
    course_.expect(answer.error == ErrorCode::kOk, "a request that nobody cancels is answered");
    course_.expect(answer.completion->ids == Stage::get().expected(), "the text is the model's");
  }
  // Of a request that may have been cancelled.
  void expect_some_answer(const Asked& asked) {
    environment_.until_settled(asked.ticket);
    const JsValue& answer = environment_.answer_of(asked.ticket);
    const bool closed = answer.error == ErrorCode::kModelClosed || answer.error == ErrorCode::kSessionClosed;
    course_.expect(closed || answer.error == ErrorCode::kOk, "an answer is a text, or says what was closed");
    course_.expect(closed || answer.completion->stop == StopReason::kCancelled ||
                       answer.completion->stop == StopReason::kMaxTokens,
                   "a text ends where it was cancelled, or is whole");
  }

 private:
  using Job = decltype(job_of(&Host::complete));

  template <typename Work>
  Ticket session_of(Work work) {
    const Ticket ticket = environment_.promise();
    host_->template submit<SessionKey>(
        environment_.js(), ticket, std::move(work),
        [](napi_env env, SessionKey& key) { return env->add({ErrorCode::kOk, key, {}}); });
    return ticket;
  }

  Course& course_;
  Environment& environment_;
  std::shared_ptr<Host> host_;
  Ticket loaded_;
  std::uint64_t next_request_ = 1;
};

}  // namespace emberline::testing
