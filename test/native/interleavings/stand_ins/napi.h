// In place of Node's header, for what of the addon runs without it: names, and values that a test reads.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/status.h"
#include "engine/session.h"

struct JsValue {
  emberline::ErrorCode error = emberline::ErrorCode::kOk;
  std::uint64_t number = 0;
  std::optional<emberline::Completion> completion;
};
using napi_value = JsValue*;

// The JavaScript heap of a test.
struct JsHeap {
  std::deque<JsValue> values;

  napi_value add(JsValue value) { return &values.emplace_back(std::move(value)); }
};
using napi_env = JsHeap*;

enum napi_valuetype { napi_undefined };
enum napi_typedarray_type { napi_float32_array };
struct napi_property_descriptor {};

namespace Napi {
class Function;
}
