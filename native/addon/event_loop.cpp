#include "addon/event_loop.h"

#include <atomic>

// Of libuv's uv.h, which does not come with Node-API's headers, what is called here: unchanged since 1.19,
// and exported by Node and Electron. On Windows CMakeLists.txt names these functions once more.
#if defined(_WIN32)
#define EMBERLINE_UV __declspec(dllimport)
#else
#define EMBERLINE_UV
#endif
extern "C" {
struct uv_loop_s;
struct uv_handle_s;  // what all handles begin with, a uv_async_t too
EMBERLINE_UV int uv_async_init(uv_loop_s*, uv_handle_s*, void (*woken)(uv_handle_s*));
EMBERLINE_UV int uv_async_send(uv_handle_s*);
EMBERLINE_UV void uv_close(uv_handle_s*, void (*closed)(uv_handle_s*));
EMBERLINE_UV void* uv_handle_get_data(const uv_handle_s*);
EMBERLINE_UV void uv_handle_set_data(uv_handle_s*, void*);
EMBERLINE_UV std::size_t uv_handle_size(int type);
EMBERLINE_UV void uv_ref(uv_handle_s*);
EMBERLINE_UV void uv_unref(uv_handle_s*);
}
#undef EMBERLINE_UV

namespace emberline::addon {
namespace {

constexpr int kAsync = 1;  // UV_ASYNC

uv_handle_s* handle_in(const std::unique_ptr<std::byte[]>& memory) {
  return reinterpret_cast<uv_handle_s*>(memory.get());
}

EventLoopHandle* owner_of(const uv_handle_s* handle) {
  return static_cast<EventLoopHandle*>(uv_handle_get_data(handle));
}

}  // namespace

EventLoopHandle* EventLoopHandle::open(napi_env env, Called woken, void* self) {
  uv_loop_s* loop = nullptr;
  if (napi_get_uv_event_loop(env, &loop) != napi_ok) return nullptr;
  std::unique_ptr<EventLoopHandle> opened(new EventLoopHandle);
  opened->handle_ = std::make_unique<std::byte[]>(uv_handle_size(kAsync));
  opened->called_ = woken;
  opened->data_ = self;
  uv_handle_s* const handle = handle_in(opened->handle_);
  const auto wakes = [](uv_handle_s* woken_handle) {
    // As in wake(): the other half of the pair.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const EventLoopHandle* const owner = owner_of(woken_handle);
    owner->called_(owner->data_);
  };
  if (uv_async_init(loop, handle, wakes) != 0) return nullptr;
  uv_handle_set_data(handle, opened.get());
  uv_unref(handle);
  return opened.release();
}

void EventLoopHandle::wake() noexcept {
  // uv_async_send looks first whether the loop is to be woken already, without any order. Either it sees that
  // the loop has begun to call, or the call sees what was written before.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  uv_async_send(handle_in(handle_));
}

void EventLoopHandle::keep_alive(bool keeps) noexcept {
  (keeps ? uv_ref : uv_unref)(handle_in(handle_));
}

void EventLoopHandle::close(Called closed, void* data) noexcept {
  called_ = closed;
  data_ = data;
  uv_close(handle_in(handle_), [](uv_handle_s* handle) {
    const std::unique_ptr<EventLoopHandle> owner(owner_of(handle));
    owner->called_(owner->data_);
  });
}

}  // namespace emberline::addon
