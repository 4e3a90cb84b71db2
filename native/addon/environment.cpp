#include "addon/environment.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "addon/guarded.h"
#include "addon/js_values.h"

namespace emberline::addon {
namespace {

// Messages that are delivered before the loop looks at its other events, as many as Node's own queue takes.
constexpr int kMostATurn = 1'000;

struct DeliveryMessage : Message {
  explicit DeliveryMessage(Environment::Delivery delivers) : delivery(std::move(delivers)) {}
  Environment::Delivery delivery;
};

// What Node does around its own calls into JavaScript: handles go when it ends, and promises that were
// settled call whoever awaits them. Where the environment is ending there may be none, and then nothing of
// JavaScript is called.
class CallbackScope {
 public:
  CallbackScope(napi_env env, napi_async_context context) : env_(env) {
    if (napi_open_handle_scope(env, &handles_) != napi_ok) handles_ = nullptr;
    if (napi_open_callback_scope(env, nullptr, context, &callback_) != napi_ok) callback_ = nullptr;
  }
  ~CallbackScope() {
    if (callback_ != nullptr) napi_close_callback_scope(env_, callback_);
    if (handles_ != nullptr) napi_close_handle_scope(env_, handles_);
  }
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

 private:
  napi_env env_;
  napi_handle_scope handles_ = nullptr;
  napi_callback_scope callback_ = nullptr;
};

}  // namespace

Environment* Environment::create(Napi::Env env) {
  std::unique_ptr<Environment> made(new Environment);
  made->env_ = env;
  if (napi_async_init(env, nullptr, js_string(env, "emberline"), &made->context_) != napi_ok) return nullptr;
  const auto woken = [](void* self) { static_cast<Environment*>(self)->receive(); };
  made->loop_ = EventLoopHandle::open(env, woken, made.get());
  if (made->loop_ == nullptr) return nullptr;
  // An asynchronous hook: the environment, and this library, stay until the handle is closed.
  const auto hook = [](napi_async_cleanup_hook_handle, void* self) {
    static_cast<Environment*>(self)->shut_down();
  };
  if (napi_add_async_cleanup_hook(env, hook, made.get(), &made->hook_) != napi_ok) {
    made->loop_->close([](void*) {}, nullptr);
    return nullptr;
  }
  Environment* environment = made.release();
  env.SetInstanceData(environment);
  return environment;
}

Environment::~Environment() {
  if (context_ != nullptr) napi_async_destroy(env_, context_);
}

void Environment::shut_down() {
  for (const auto& worker : workers_) worker->stop();
  for (const auto& worker : workers_) worker->join();
  if (ended_ != nullptr) ended_->join();
  // Nobody sends any more: what was sent and is not delivered goes with whoever waits for it.
  inbox_.close();
  drop(received_);
  drop(inbox_.take());
  received_ = nullptr;
  ended_.reset();
  workers_.clear();
  pending_.clear();
  // The hook's handle is what lives until then; this object is the environment's.
  loop_->close(
      [](void* hook) { napi_remove_async_cleanup_hook(static_cast<napi_async_cleanup_hook_handle>(hook)); },
      hook_);
}

Environment::Promised Environment::add_promise(Napi::Env env, std::shared_ptr<void> keep,
                                               Napi::Function on_text) {
  Pending pending = {Napi::Promise::Deferred::New(env), {}, std::move(keep)};
  if (!on_text.IsEmpty()) pending.on_text = Napi::Persistent(on_text);
  const Napi::Value promise = pending.deferred.Promise();
  auto ticket = std::make_shared<Message>();
  pending_.emplace(ticket, std::move(pending));
  if (pending_.size() == 1) loop_->keep_alive(true);
  return {std::move(ticket), promise};
}

void Environment::resolve(napi_env, const Ticket& ticket, napi_value value) {
  const auto found = pending_.find(ticket);
  if (found == pending_.end()) return;
  const Pending pending = std::move(found->second);
  pending_.erase(found);
  if (pending_.empty()) loop_->keep_alive(false);
  if (value != nullptr) pending.deferred.Resolve(value);
}

void Environment::settle(const Ticket& ticket, MakeValue make_value) {
  post([this, ticket, make_value = std::move(make_value)](napi_env env) {
    resolve(env, ticket, js_made(env, [&] { return make_value(env); }));
  });
}

void Environment::send_text(const Ticket& ticket, std::string piece) {
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
  send(std::make_shared<DeliveryMessage>(std::move(delivery)), Message::Kind::kDelivery);
}

void Environment::fail(const Ticket& ticket) noexcept {
  send(ticket, Message::Kind::kFailed);
}
void Environment::done(const Ticket& ticket) noexcept {
  send(ticket, Message::Kind::kDone);
}
void Environment::tell(Worker* worker) noexcept {
  const std::shared_ptr<Worker> owner = worker->weak_from_this().lock();
  if (owner != nullptr) send({owner, &worker->message_}, Message::Kind::kTold);
}

void Environment::send(const std::shared_ptr<Message>& message, Message::Kind kind) noexcept {
  if (message->travels.exchange(true)) return;
  message->kind = kind;
  message->self = message;
  if (inbox_.push(*message)) {
    loop_->wake();
  } else {
    message->self.reset();  // the environment ends, and with it whoever waits
  }
}

void Environment::receive() {
  for (int delivered = 0; delivered < kMostATurn; ++delivered) {
    if (received_ == nullptr) received_ = inbox_.take();
    if (received_ == nullptr) return;
    auto* const message = static_cast<Message*>(received_);
    received_ = message->next;
    const std::shared_ptr<Message> self = std::move(message->self);
    const CallbackScope scope(env_, context_);
    try {
      deliver(self);
    } catch (const std::exception&) {
      // Node called: nothing may be thrown through it. Only memory can have run out, for a piece of text:
      // what settles a promise does without.
    }
  }
  loop_->wake();
}

void Environment::deliver(const std::shared_ptr<Message>& message) {
  switch (message->kind) {
    case Message::Kind::kDelivery: static_cast<DeliveryMessage&>(*message).delivery(env_); return;
    case Message::Kind::kFailed: resolve(env_, message, js_error(env_, out_of_memory())); return;
    case Message::Kind::kDone: resolve(env_, message, js_undefined(env_)); return;
    case Message::Kind::kTold: break;
  }
  // From here on it may be sent again, so that what is told from now on is told.
  message->travels = false;
  const auto named = std::find_if(workers_.begin(), workers_.end(),
                                  [&](const auto& each) { return &each->message_ == message.get(); });
  if (named == workers_.end()) return;
  // It may remove itself. NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
  const std::shared_ptr<Worker> worker = *named;
  worker->told(env_);
}

void Environment::drop(Inbox::Link* links) {
  while (links != nullptr) {
    auto* const message = static_cast<Message*>(links);
    links = message->next;
    message->self.reset();
  }
}

void Environment::remove(const Worker* worker) {
  const auto found =
      std::find_if(workers_.begin(), workers_.end(), [&](const auto& each) { return each.get() == worker; });
  if (found == workers_.end()) return;
  if (ended_ != nullptr) ended_->join();
  ended_ = std::move(*found);
  workers_.erase(found);
}

}  // namespace emberline::addon
