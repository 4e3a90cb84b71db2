// The way in which any thread wakes the JS thread: a handle in the event loop of its environment, libuv's
// uv_async_t.
//
// Node-API has a queue of its own for this (napi_threadsafe_function). It wakes the JS thread while it holds
// the queue's mutex, which the JS thread then wants: where the waking thread has a lower priority, it is put
// aside at that very moment, and the JS thread waits until it gets to run again. uv_async_send takes no lock.
#pragma once

#include <node_api.h>

#include <cstddef>
#include <memory>

namespace emberline::addon {

class EventLoopHandle {
 public:
  using Called = void (*)(void* self);

  // JS thread. `woken` is called there with `self`, once or several times after a wake(), and not after
  // close(). The handle does not keep the process alive. Null where the host has no event loop of libuv's.
  static EventLoopHandle* open(napi_env env, Called woken, void* self);

  // Any thread, until close(): without a lock, and without allocating. What was written before is seen by
  // whoever is woken.
  void wake() noexcept;

  // JS thread: whether the process stays alive for it.
  void keep_alive(bool keeps) noexcept;

  // JS thread, once, when nobody wakes it any more. In a later turn of the loop the handle is gone: then
  // `closed` is called with `data`, and this object is no more.
  void close(Called closed, void* data) noexcept;

 private:
  EventLoopHandle() = default;

  std::unique_ptr<std::byte[]> handle_;  // a uv_async_t, of whatever size the host's libuv says
  Called called_ = nullptr;              // `woken`, then `closed`
  void* data_ = nullptr;
};

}  // namespace emberline::addon
