#include "addon/environment.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "addon/guarded.h"
#include "addon/js_values.h"

namespace emberline::addon {
namespace {

// What is sent to the JS thread is a number: the address of a Delivery, or one of these in its lowest bits,
// in front of them a ticket, or the address of a worker. So no memory is needed to say that there is none.
constexpr std::uintptr_t kKind = 3, kDelivery = 0, kFailed = 1, kDone = 2, kToWorker = 3;
constexpr int kKindBits = 2;
static_assert(alignof(Worker) > kKind && alignof(Environment::Delivery) > kKind);

}  // namespace

Environment* Environment::create(Napi::Env env) {
  std::unique_ptr<Environment> made(new Environment);
  made->env_ = env;
  const napi_value name = js_string(env, "emberline");
  // An unlimited queue: a call never blocks an engine's thread.
  constexpr std::size_t kUnlimited = 0, kThreads = 1;
  if (napi_create_threadsafe_function(env, nullptr, nullptr, name, kUnlimited, kThreads, nullptr, nullptr,
                                      made.get(), deliver, &made->to_js_) != napi_ok) {
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

Environment::Promised Environment::add_promise(Napi::Env env, std::shared_ptr<void> keep,
                                               Napi::Function on_text) {
  Pending pending = {Napi::Promise::Deferred::New(env), {}, std::move(keep)};
  if (!on_text.IsEmpty()) pending.on_text = Napi::Persistent(on_text);
  const Napi::Value promise = pending.deferred.Promise();
  const Ticket ticket = next_ticket_++;
  pending_.emplace(ticket, std::move(pending));
  if (pending_.size() == 1) napi_ref_threadsafe_function(env, to_js_);
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
    resolve(env, ticket, js_made(env, [&] { return make_value(env); }));
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

void Environment::fail(Ticket ticket) noexcept {
  send(static_cast<std::uintptr_t>(ticket << kKindBits) | kFailed);
}
void Environment::done(Ticket ticket) noexcept {
  send(static_cast<std::uintptr_t>(ticket << kKindBits) | kDone);
}
void Environment::tell(Worker* worker) noexcept {
  send(reinterpret_cast<std::uintptr_t>(worker) | kToWorker);
}

void Environment::send(std::uintptr_t message) noexcept {
  // Refused where the environment ends, and with it whoever waits. NOLINTNEXTLINE(performance-no-int-to-ptr)
  napi_call_threadsafe_function(to_js_, reinterpret_cast<void*>(message), napi_tsfn_nonblocking);
}

void Environment::receive(napi_env env, std::uintptr_t message) {
  const Ticket ticket = message >> kKindBits;
  switch (message & kKind) {
    case kFailed: resolve(env, ticket, js_error(env, out_of_memory())); return;
    case kDone: resolve(env, ticket, js_undefined(env)); return;
    default: break;
  }
  const auto named = std::find_if(workers_.begin(), workers_.end(), [&](const auto& each) {
    return reinterpret_cast<std::uintptr_t>(each.get()) == (message & ~kKind);
  });
  if (named == workers_.end()) return;
  // It may remove itself. NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
  const std::shared_ptr<Worker> worker = *named;
  worker->told(env);
}

void Environment::deliver(napi_env env, napi_value, void* self, void* data) {
  const auto message = reinterpret_cast<std::uintptr_t>(data);
  const std::unique_ptr<Delivery> delivery((message & kKind) == kDelivery ? static_cast<Delivery*>(data)
                                                                          : nullptr);
  if (env == nullptr) return;  // the environment ends, and the queue is only emptied
  try {
    if (delivery != nullptr) {
      (*delivery)(env);
    } else {
      static_cast<Environment*>(self)->receive(env, message);
    }
  } catch (const std::exception&) {
    // Node called: nothing may be thrown through it. Only memory can have run out, for a piece of text: what
    // settles a promise does without.
  }
}

void Environment::remove(const Worker* worker) {
  std::erase_if(workers_, [&](const auto& each) { return each.get() == worker; });
}

}  // namespace emberline::addon
