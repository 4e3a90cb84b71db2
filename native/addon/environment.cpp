#include "addon/environment.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "addon/js_values.h"

namespace emberline::addon {

Environment* Environment::create(Napi::Env env) {
  std::unique_ptr<Environment> made(new Environment);
  made->env_ = env;
  const napi_value name = js_string(env, "emberline");
  // An unlimited queue: a call never blocks an engine's thread.
  constexpr std::size_t kUnlimited = 0, kThreads = 1;
  if (napi_create_threadsafe_function(env, nullptr, nullptr, name, kUnlimited, kThreads, nullptr, nullptr,
                                      nullptr, deliver, &made->to_js_) != napi_ok) {
    return nullptr;
  }
  napi_unref_threadsafe_function(env, made->to_js_);
  // Registered after the thread-safe function made its own hook, so that it runs before it.
  const auto hook = [](void* self) { static_cast<Environment*>(self)->shut_down(); };
  if (napi_add_env_cleanup_hook(env, hook, made.get()) != napi_ok) return nullptr;
  Environment* environment = made.release();
  env.SetInstanceData(environment);
  return environment;
}

Environment::~Environment() = default;

void Environment::shut_down() {
  for (const auto& worker : workers_) worker->stop();
  for (const auto& worker : workers_) worker->join();
  workers_.clear();
  pending_.clear();
}

Environment::Promised Environment::promise(Napi::Env env, std::shared_ptr<void> keep,
                                           Napi::Function on_text) {
  Pending pending = {Napi::Promise::Deferred::New(env), {}, std::move(keep)};
  if (!on_text.IsEmpty()) pending.on_text = Napi::Persistent(on_text);
  const Napi::Value promise = pending.deferred.Promise();
  if (pending_.empty()) napi_ref_threadsafe_function(env, to_js_);
  const Ticket ticket = next_ticket_++;
  pending_.emplace(ticket, std::move(pending));
  return {ticket, promise};
}

void Environment::resolve(napi_env env, Ticket ticket, napi_value value) {
  const auto found = pending_.find(ticket);
  if (found == pending_.end()) return;
  const Pending pending = std::move(found->second);
  pending_.erase(found);
  if (pending_.empty()) napi_unref_threadsafe_function(env, to_js_);
  if (value != nullptr) pending.deferred.Resolve(value);
}

void Environment::settle(Ticket ticket, MakeValue make_value) {
  post([this, ticket, make_value = std::move(make_value)](napi_env env) {
    resolve(env, ticket, make_value(env));
  });
}

void Environment::send_text(Ticket ticket, std::string piece) {
  post([this, ticket, piece = std::move(piece)](napi_env env) {
    const auto found = pending_.find(ticket);
    if (found == pending_.end() || found->second.on_text.IsEmpty()) return;
    const napi_value text = js_string(env, piece);
    if (text == nullptr) return;
    const Napi::Function on_text = found->second.on_text.Value();
    napi_value receiver = nullptr, ignored = nullptr;
    napi_get_undefined(env, &receiver);
    // What the callback throws is its own business; the completion goes on.
    if (napi_call_function(env, receiver, on_text, 1, &text, &ignored) != napi_ok) clear_exception(env);
  });
}

void Environment::post(Delivery delivery) {
  auto* data = new Delivery(std::move(delivery));
  if (napi_call_threadsafe_function(to_js_, data, napi_tsfn_nonblocking) != napi_ok) delete data;
}

void Environment::deliver(napi_env env, napi_value, void*, void* data) {
  const std::unique_ptr<Delivery> delivery(static_cast<Delivery*>(data));
  if (env == nullptr) return;  // the environment ends, and the queue is only emptied
  try {
    (*delivery)(env);
  } catch (const std::exception&) {
    // Node called: nothing may be thrown through it. As in WorkThread::run, only memory can have run out.
  }
}

void Environment::remove(const Worker* worker) {
  std::erase_if(workers_, [&](const auto& each) { return each.get() == worker; });
}

}  // namespace emberline::addon
