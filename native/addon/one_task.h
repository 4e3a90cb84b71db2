// Work that needs no model, on a thread of its own: one task, then the thread is gone.
#pragma once

#include <napi.h>

#include <functional>
#include <memory>
#include <utility>

#include "addon/environment.h"
#include "addon/guarded.h"
#include "addon/js_values.h"
#include "addon/work_thread.h"
#include "base/status.h"

namespace emberline::addon {

template <typename T>
class OneTask : public Worker {
 public:
  using Work = std::function<Result<T>()>;
  using MakeValue = std::function<napi_value(napi_env, T&)>;

  explicit OneTask(Environment& environment) : environment_(environment) {}

  Status start(Environment::Ticket ticket, Work work, MakeValue make_value) {
    if (Status status = thread_.start(); !status.ok()) return status;
    thread_.finish([this, ticket, work = std::move(work), make_value = std::move(make_value)] {
      const auto result = std::make_shared<Result<T>>(guarded(work));
      environment_.post([this, ticket, result, make_value](napi_env env) {
        environment_.resolve(
            env, ticket,
            result->ok() ? js_ok(env, make_value(env, result->value())) : js_error(env, result->error()));
        thread_.join();
        environment_.remove(this);  // the last owner
      });
    });
    return {};
  }

  void stop() override {
    thread_.finish([] {});  // for one that never got its work
  }
  void join() override { thread_.join(); }

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
  const auto promised = environment.promise(env, nullptr);
  environment.add(task);
  if (Status status = task->start(promised.ticket, std::move(work), std::move(make_value)); !status.ok()) {
    environment.resolve(env, promised.ticket, js_error(env, status));
    environment.remove(task.get());
  }
  return promised.promise;
}

}  // namespace emberline::addon
