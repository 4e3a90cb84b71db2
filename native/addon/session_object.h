// The JavaScript object of a session, and what a completion looks like there.
#pragma once

#include <napi.h>

#include <cstdint>
#include <memory>

#include "base/status.h"
#include "engine/session.h"

namespace emberline::addon {

struct ModelHandle;

inline Status session_closed_error() {
  return {ErrorCode::kSessionClosed, "The session was closed; create a new one."};
}

// What the engine cannot know: the time a request waited and how long a cancel took to reach it.
// Milliseconds.
struct AddonTimings {
  double queue_ms = 0;
  double total_ms = 0;
  double cancel_ms = 0;
};

napi_value js_completion(napi_env env, const Completion& completion, const AddonTimings& timings);

// A session that exists on the engine's thread under `key`. Closed when the object is collected.
napi_value make_session_object(napi_env env, std::shared_ptr<ModelHandle> model, std::uint64_t key);

}  // namespace emberline::addon
