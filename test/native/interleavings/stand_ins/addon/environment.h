// In place of the addon's environment: the same surface for its workers, and a JS thread that a test plays.
//
// What workers send arrives in the order it was sent, on the thread that made the environment and calls
// until() or turn().
#pragma once

#include <napi.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/threads.h"

namespace emberline::addon {

class Worker : public std::enable_shared_from_this<Worker> {
 public:
  virtual ~Worker() = default;
  virtual void stop() = 0;
  virtual void join() = 0;
  virtual void told(napi_env env) = 0;
};

class Environment {
 public:
  struct Message {};
  using Ticket = std::shared_ptr<Message>;
  using MakeValue = std::function<napi_value(napi_env)>;
  using Delivery = std::function<void(napi_env)>;
  using OnText = std::function<void(const std::string&)>;

  Environment() = default;
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { shut_down(); }

  // --- what the addon's workers call

  void resolve(napi_env, const Ticket& ticket, napi_value value) {
    const auto found = pending_.find(ticket);
    if (found == pending_.end()) {
      settled_twice_ = settled_twice_ || answers_.contains(ticket);
      return;
    }
    const Pending settled = std::move(found->second);
    pending_.erase(found);
    answers_.emplace(ticket, value);
  }
  void settle(const Ticket& ticket, MakeValue make_value) {
    post([this, ticket, make_value = std::move(make_value)](napi_env env) {
      resolve(env, ticket, make_value(env));
    });
  }
  void send_text(const Ticket& ticket, std::string piece) {
    post([this, ticket, piece = std::move(piece)](napi_env) {
      const auto found = pending_.find(ticket);
      if (found != pending_.end() && found->second.on_text) found->second.on_text(piece);
    });
  }
  void post(Delivery delivery) {
    {
      const std::lock_guard lock(mutex_);
      inbox_.push_back(std::move(delivery));
    }
    arrived_.notify_one();
  }
  void fail(const Ticket& ticket) noexcept {
    post([this, ticket](napi_env env) { resolve(env, ticket, env->add({ErrorCode::kOutOfMemory, 0, {}})); });
  }
  void done(const Ticket& ticket) noexcept {
    post([this, ticket](napi_env env) { resolve(env, ticket, env->add({})); });
  }
  void tell(Worker* worker) noexcept {
    post([this, worker](napi_env env) {
      const auto named = std::ranges::find(workers_, worker, &std::shared_ptr<Worker>::get);
      if (named == workers_.end()) return;
      const std::shared_ptr<Worker> held = *named;  // NOLINT(performance-unnecessary-copy-initialization)
      held->told(env);
    });
  }
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
  void add(std::shared_ptr<Worker> worker) { workers_.push_back(std::move(worker)); }
  void remove(const Worker* worker) {
    std::erase_if(workers_, [&](const auto& each) { return each.get() == worker; });
  }

  // --- what a test calls

  napi_env js() { return &heap_; }
  // `settled` runs when the promise is settled, as what a promise keeps is given up then.
  Ticket promise(OnText on_text = {}, std::function<void()> settled = {}) {
    const Ticket ticket = std::make_shared<Message>();
    pending_.emplace(ticket, Pending{std::move(on_text), Guard(std::move(settled))});
    return ticket;
  }
  bool is_settled(const Ticket& ticket) const { return answers_.contains(ticket); }
  const JsValue& answer_of(const Ticket& ticket) const { return *answers_.at(ticket); }
  bool settled_twice() const { return settled_twice_; }
  std::size_t pending() const { return pending_.size(); }
  std::size_t workers() const { return workers_.size(); }

  // Takes in what has arrived; false: nothing has.
  bool turn() {
    Delivery delivery;
    {
      const std::lock_guard lock(mutex_);
      if (inbox_.empty()) return false;
      delivery = std::move(inbox_.front());
      inbox_.pop_front();
    }
    delivery(&heap_);
    return true;
  }
  template <typename Condition>
  void until(const Condition& holds) {
    while (!holds()) {
      if (turn()) continue;
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return !inbox_.empty(); });
    }
  }
  void until_settled(const Ticket& ticket) {
    until([&] { return is_settled(ticket); });
  }
  // What the clean-up hook of an environment does. Whatever arrives later is dropped.
  void shut_down() {
    for (const auto& worker : workers_) worker->stop();
    for (const auto& worker : workers_) worker->join();
    workers_.clear();
    pending_.clear();
    const std::lock_guard lock(mutex_);
    inbox_.clear();
  }

 private:
  class Guard {
   public:
    explicit Guard(std::function<void()> settled) : settled_(std::move(settled)) {}
    Guard(Guard&& other) noexcept : settled_(std::exchange(other.settled_, nullptr)) {}
    Guard& operator=(Guard&&) = delete;
    ~Guard() {
      if (settled_) settled_();
    }

   private:
    std::function<void()> settled_;
  };
  struct Pending {
    OnText on_text;
    Guard guard;
  };

  JsHeap heap_;
  std::map<Ticket, Pending> pending_;
  std::map<Ticket, napi_value> answers_;
  bool settled_twice_ = false;
  std::vector<std::shared_ptr<Worker>> workers_;

  Mutex mutex_;
  ConditionVariable arrived_;
  std::deque<Delivery> inbox_;
};

}  // namespace emberline::addon
