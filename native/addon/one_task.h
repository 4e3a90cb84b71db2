// Work that needs no model, on a thread of its own: one task, then the thread is gone.
#pragma once

#include <napi.h>

#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include "addon/environment.h"
#include "addon/guarded.h"
#include "addon/js_values.h"
#include "addon/work_thread.h"
#include "base/status.h"
#include "base/try.h"

namespace emberline::addon {

template <typename T>
class OneTask : public Worker {
 public:
  using Work = std::function<Result<T>()>;
  using MakeValue = std::function<napi_value(napi_env, T&)>;

  explicit OneTask(Environment& environment) : environment_(environment) {}

  Status start(const Environment::Ticket& ticket, Work work, MakeValue make_value) {
    TRY(thread_.start());
    thread_.finish([this, ticket, work = std::move(work), make_value = std::move(make_value)] {
      environment_.answer(ticket, [&] {
        const auto result = std::make_shared<Result<T>>(guarded(work));
        environment_.settle(ticket, [result, make_value](napi_env env) {
          return result->ok() ? js_ok(env, make_value(env, result->value())) : js_error(env, result->error());
        });
      });
      environment_.tell(this);
    });
    return {};
  }

  void stop() override {
    thread_.finish([] {});  // for one that never got its work
  }
  void join() override { thread_.join(); }
  void told(napi_env) override { environment_.remove(this); }

 private:
  Environment& environment_;
  WorkThread thread_;
};

// A promise for `work`, done on a thread of its own. JS thread.
template <typename T>
Napi::Value run_once(Napi::Env env, typename OneTask<T>::Work work,
                     typename OneTask<T>::MakeValue make_value) {
  Environment& environment = Environment::of(env);
  const auto task = std::make_shared<OneTask<T>>(environment);
  const auto begin = [&](const Environment::Ticket& ticket) {
    environment.add(task);
    const auto give_up = [&] {
      task->stop();
      task->told(env);
    };
    try {
      if (Status status = task->start(ticket, std::move(work), std::move(make_value)); !status.ok()) {
        give_up();
        environment.resolve(env, ticket, js_error(env, status));
      }
    } catch (const std::exception&) {
      give_up();
      throw;
    }
  };
  return environment.promise(env, nullptr, {}, begin);
}

}  // namespace emberline::addon
