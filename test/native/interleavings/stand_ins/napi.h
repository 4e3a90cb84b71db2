// In place of Node's header, for what of the addon runs without it: names, and values that a test reads.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/status.h"
#include "engine/session.h"

struct napi_value__ {
  emberline::ErrorCode error = emberline::ErrorCode::kOk;
  std::uint64_t number = 0;
  std::optional<emberline::Completion> completion;
};
using napi_value = napi_value__*;

// The JavaScript heap of a test.
struct napi_env__ {
  std::deque<napi_value__> values;

  napi_value add(napi_value__ value) { return &values.emplace_back(std::move(value)); }
};
using napi_env = napi_env__*;

enum napi_valuetype { napi_undefined };
enum napi_typedarray_type { napi_float32_array };
struct napi_property_descriptor {};

namespace Napi {
class Function;
}
