#include "addon/model_host.h"

#include <algorithm>
#include <exception>

#include "addon/session_object.h"
#include "addon/utf16.h"
#include "base/freed_memory.h"
#include "base/schedule.h"
#include "base/try.h"

namespace emberline::addon {
namespace {

double ms(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

Prompt prompt_of(const std::vector<TextOrToken>& from) {
  std::vector<PromptPart> parts;
  parts.reserve(from.size());
  for (const TextOrToken& part : from) {
    if (const std::u16string* text = std::get_if<std::u16string>(&part)) {
      parts.emplace_back(utf8_from_utf16(*text));
    } else if (const std::uint32_t* token = std::get_if<std::uint32_t>(&part)) {
      parts.emplace_back(*token);
    }
  }
  return parts;
}

}  // namespace

void ModelHost::load(napi_env env, const Environment::Ticket& ticket, ModelOptions options,
                     Environment::MakeValue loaded) {
  environment_.add(shared_from_this());
  if (Status status = thread_.start(); !status.ok()) {
    environment_.remove(this);
    environment_.resolve(env, ticket, js_error(env, status));
    return;
  }
  try {
    thread_.post([this, ticket, options = std::move(options), loaded = std::move(loaded)] {
      if (!load(ticket, options, loaded)) environment_.tell(this);
    });
  } catch (const std::exception&) {
    close();
    throw;
  }
}

bool ModelHost::load(const Environment::Ticket& ticket, const ModelOptions& options,
                     const Environment::MakeValue& loaded) {
  auto model = guarded([&] { return Model::load(options); });
  // Reading a vocabulary takes as much again as is kept of it.
  give_back_freed_memory();
  const bool answered = environment_.answer(ticket, [&] {
    if (!model.ok()) {
      environment_.settle(ticket, [error = model.error()](napi_env js) { return js_error(js, error); });
      return;
    }
    model_ = model.value();
    environment_.settle(ticket, [this, loaded, info = model_->info()](napi_env js) {
      napi_value value = nullptr;
      try {
        info_ = info;
        value = loaded(js);
      } catch (const std::exception&) {
        value = nullptr;
      }
      if (value == nullptr) close();  // nobody else will
      return js_ok(js, value);
    });
  });
  return answered && model.ok();
}

void ModelHost::close() {
  schedule_point("host.close");
  if (closing_.exchange(true)) return;
  for (const auto& [key, request] : requests_) {
    request->cancelled_at = Clock::now().time_since_epoch().count();
    request->cancel = true;
  }
  thread_.finish([this] {
    sessions_.clear();
    logits_session_.reset();
    model_.reset();
    give_back_freed_memory();
    schedule_point("host.ended");
    ended_ = true;
    environment_.tell(this);
  });
}

void ModelHost::told(napi_env env) {
  if (ended_) {
    closed(env);
  } else {
    close();  // its model is of no use to anybody
  }
}

void ModelHost::closed(napi_env env) {
  closed_ = true;
  for (const Environment::Ticket& ticket : waiting_for_close_)
    environment_.resolve(env, ticket, js_undefined(env));
  environment_.remove(this);
}

void ModelHost::when_closed(napi_env env, const Environment::Ticket& ticket) {
  if (closed_) {
    environment_.resolve(env, ticket, js_undefined(env));
  } else {
    waiting_for_close_.push_back(ticket);
  }
}

Result<ModelHost::SessionKey> ModelHost::create_session(std::uint32_t context) {
  return keep(Session::create(model_, context));
}

Result<ModelHost::SessionKey> ModelHost::fork_session(SessionKey session) {
  const auto origin = sessions_.find(session);
  if (origin == sessions_.end()) return session_closed_error();
  return keep(origin->second->fork());
}

Result<ModelHost::SessionKey> ModelHost::keep(Result<std::unique_ptr<Session>> session) {
  if (!session.ok()) return session.error();
  const SessionKey key = next_session_++;
  sessions_.emplace(key, std::move(session).value());
  return key;
}

void ModelHost::close_session(napi_env env, SessionKey session, const Environment::Ticket& ticket) {
  for (auto next = requests_.begin(); next != requests_.end();) {
    const auto& [key, request] = *next++;  // cancel() takes queued ones out of the table
    if (key.first == session) cancel(env, request);
  }
  const bool posted = thread_.post([this, session, ticket] {
    sessions_.erase(session);
    if (ticket != nullptr) environment_.done(ticket);
  });
  if (!posted && ticket != nullptr) when_closed(env, ticket);
}

void ModelHost::complete(napi_env env, const Environment::Ticket& ticket, SessionKey session,
                         CompletionJob job) {
  const RequestKey key{session, job.id};
  const auto request = std::make_shared<Request>();
  request->ticket = ticket;
  requests_.emplace(key, request);
  const bool posted =
      thread_.post([this, key, request, job = std::make_shared<CompletionJob>(std::move(job))] {
        environment_.answer(request->ticket, [&] { run(key, request, *job); });
      });
  if (!posted) environment_.resolve(env, ticket, js_error(env, closed_error()));
}

void ModelHost::cancel(napi_env env, SessionKey session, std::uint64_t id) {
  const auto found = requests_.find({session, id});
  if (found != requests_.end()) cancel(env, found->second);
}

void ModelHost::cancel(napi_env env, const std::shared_ptr<Request>& held) {
  // `held` goes out of the table with its promise.
  const std::shared_ptr<Request> request = held;  // NOLINT(performance-unnecessary-copy-initialization)
  schedule_point("request.cancel");
  auto expected = Request::Stage::kQueued;
  if (request->stage.compare_exchange_strong(expected, Request::Stage::kSettled)) {
    Completion nothing;
    nothing.stop = StopReason::kCancelled;
    nothing.timings.cancel_phase = Phase::kQueued;
    const double waited = ms(Clock::now() - request->submitted);
    environment_.resolve(env, request->ticket, js_made(env, [&] {
                           return js_ok(env, js_completion(env, nothing, {waited, waited, 0}));
                         }));
    return;
  }
  if (request->cancel) return;
  request->cancelled_at = Clock::now().time_since_epoch().count();
  schedule_point("request.cancelling");
  request->cancel = true;
}

void ModelHost::run(RequestKey key, const std::shared_ptr<Request>& request, CompletionJob& job) {
  schedule_point("request.run");
  auto expected = Request::Stage::kQueued;
  if (!request->stage.compare_exchange_strong(expected, Request::Stage::kRunning)) return;
  progress_.begin();
  const auto started = Clock::now();
  const auto result = std::make_shared<Result<Completion>>(guarded([&]() -> Result<Completion> {
    if (closing()) return closed_error();
    const auto session = sessions_.find(key.first);
    if (session == sessions_.end()) return session_closed_error();
    job.request.prompt = prompt_of(job.prompt);
    job.request.required_prefix = utf8_from_utf16(job.required_prefix);
    job.request.grammar_prefix = utf8_from_utf16(job.grammar_prefix);
    for (const std::u16string& text : job.references) job.request.references.push_back(utf8_from_utf16(text));
    job.request.cancel = &request->cancel;
    job.request.progress = &progress_;
    if (job.streams) {
      job.request.on_text = [&](std::string_view piece) {
        environment_.send_text(request->ticket, std::string(piece));
      };
    }
    return session->second->complete(job.request);
  }));
  const auto finished = Clock::now();
  AddonTimings timings = {ms(started - request->submitted), ms(finished - request->submitted), 0};
  if (result->ok() && result->value().stop == StopReason::kCancelled) {
    const Clock::time_point cancelled{Clock::duration(request->cancelled_at.load())};
    timings.cancel_ms = std::max(0.0, ms(finished - cancelled));
  }
  environment_.settle(request->ticket, [result, timings](napi_env env) {
    return result->ok() ? js_ok(env, js_completion(env, result->value(), timings))
                        : js_error(env, result->error());
  });
}

Result<std::vector<float>> ModelHost::logits(const std::vector<std::uint32_t>& ids) {
  if (logits_session_ == nullptr || logits_capacity_ < ids.size()) {
    const std::size_t most = model_->info().context_length;
    const std::size_t capacity = std::min(most, std::max<std::size_t>(256, 2 * ids.size()));
    logits_session_.reset();
    TRY_VALUE(logits_session_, Session::create(model_, static_cast<std::uint32_t>(capacity)));
    logits_capacity_ = capacity;
  }
  return logits_session_->logits(ids, &closing_);
}

}  // namespace emberline::addon
