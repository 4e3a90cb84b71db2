// What the addon keeps for one JavaScript environment (the main thread or a worker): the promises it owes,
// the workers that run for it, and the way from their threads back to the JS thread.
//
// Invariants:
//   - No other thread ever holds a JavaScript value. A thread knows a promise by its ticket; promises,
//     callbacks and whatever keeps them alive stay in a table that only the JS thread touches.
//   - Whoever waits gets an answer: what there is no memory to answer is told without any (fail, done, tell).
//   - A thread of a worker takes no lock that the JS thread may want: it has a lower priority, and whoever
//     waited for its lock would wait until it came to run.
//   - When an environment ends, its clean-up hook stops and joins every worker before anything a worker uses
//     is gone. A request that runs is cancelled; a model that is loaded and a single task (one_task.h) cannot
//     be, and the hook waits for the whole of them.
#pragma once

#include <napi.h>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "addon/event_loop.h"
#include "addon/inbox.h"
#include "base/status.h"

namespace emberline::addon {

// What travels to the JS thread, one of these or what it is part of.
struct Message : Inbox::Link {
  enum class Kind { kDelivery, kFailed, kDone, kTold };

  Kind kind = Kind::kDelivery;
  std::atomic<bool> travels{false};  // who sets it has the message to send
  std::shared_ptr<Message> self;     // while it travels: there is one, whoever lets go of it meanwhile
};

// Something with a thread that works for an environment. The functions are called on the JS thread.
class Worker : public std::enable_shared_from_this<Worker> {
 public:
  virtual ~Worker() = default;
  virtual void stop() = 0;              // asks the thread to end soon; does not wait
  virtual void join() = 0;              // waits for its end, after stop()
  virtual void told(napi_env env) = 0;  // what Environment::tell asked for

 private:
  friend class Environment;
  Message message_;  // of Environment::tell
};

class Environment {
 public:
  // Names a promise, on any thread; null: nobody waits. It holds the message that needs no memory.
  using Ticket = std::shared_ptr<Message>;
  using MakeValue = std::function<napi_value(napi_env)>;  // runs on the JS thread
  using Delivery = std::function<void(napi_env)>;         // runs on the JS thread

  // Made once an environment, when it loads the addon; owned by it. Null when the environment is ending.
  static Environment* create(Napi::Env env);
  static Environment& of(Napi::Env env) { return *env.GetInstanceData<Environment>(); }
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // JS thread: a promise to be settled by its ticket, which is handed to `begin`. The process stays alive
  // until then, and so does `keep`. What `begin` throws leaves no promise behind.
  template <typename Begin>
  Napi::Value promise(Napi::Env env, std::shared_ptr<void> keep, Napi::Function on_text, const Begin& begin) {
    const Promised promised = add_promise(env, std::move(keep), on_text);
    try {
      begin(promised.ticket);
    } catch (const std::exception&) {
      resolve(env, promised.ticket, nullptr);
      throw;
    }
    return promised.promise;
  }
  // JS thread: settles now. A null `value` (the environment cannot make one) leaves the promise pending.
  void resolve(napi_env env, const Ticket& ticket, napi_value value);

  // Any thread of a worker that is not joined yet: settles on the JS thread.
  void settle(const Ticket& ticket, MakeValue make_value);
  // Any such thread: hands a piece of text to the promise's callback.
  void send_text(const Ticket& ticket, std::string piece);
  // Any such thread: runs `delivery` on the JS thread, after what was posted before.
  void post(Delivery delivery);

  // Any such thread, without allocating, behind what was posted before:
  void fail(const Ticket& ticket) noexcept;  // settles with OUT_OF_MEMORY
  void done(const Ticket& ticket) noexcept;  // settles with undefined
  void tell(Worker* worker) noexcept;        // Worker::told, unless it was removed meanwhile
  // Any such thread: does `work`, which settles the promise. Where there is no memory for that: fails it, and
  // gives false.
  template <typename Work>
  bool answer(const Ticket& ticket, const Work& work) noexcept {
    try {
      work();
      return true;
    } catch (const std::exception&) {
      fail(ticket);
      return false;
    }
  }

  // JS thread: a worker is kept until it is removed, or the environment ends. One that is removed has no more
  // to do than to end: it is joined later.
  void add(std::shared_ptr<Worker> worker) { workers_.push_back(std::move(worker)); }
  void remove(const Worker* worker);

 private:
  struct Promised {
    Ticket ticket;
    Napi::Value promise;
  };
  struct Pending {
    Napi::Promise::Deferred deferred;
    Napi::FunctionReference on_text;
    std::shared_ptr<void> keep;
  };

  Environment() = default;
  Promised add_promise(Napi::Env env, std::shared_ptr<void> keep, Napi::Function on_text);
  void shut_down();
  void send(const std::shared_ptr<Message>& message, Message::Kind kind) noexcept;
  void receive();
  void deliver(const std::shared_ptr<Message>& message);
  static void drop(Inbox::Link* links);

  napi_env env_ = nullptr;
  napi_async_context context_ = nullptr;  // in which JavaScript is called
  napi_async_cleanup_hook_handle hook_ = nullptr;
  EventLoopHandle* loop_ = nullptr;  // its own, until it is closed
  Inbox inbox_;
  Inbox::Link* received_ = nullptr;  // what was taken out of it and is not delivered, oldest first
  std::unordered_map<Ticket, Pending> pending_;
  std::vector<std::shared_ptr<Worker>> workers_;
  // The last that was removed. Its thread has only to end, but may be put aside: whoever joined it at once
  // would wait for that.
  std::shared_ptr<Worker> ended_;
};

}  // namespace emberline::addon
