#include "addon/js_dispatches.h"

#include <string_view>

#include "addon/js_values.h"
#include "engine/dispatch_list.h"

namespace emberline::addon {
namespace {

napi_value js_dispatch(napi_env env, const DispatchDescription& dispatch) {
  std::vector<napi_value> threadgroups;
  for (const std::uint32_t extent : dispatch.threadgroups) threadgroups.push_back(js_number(env, extent));
  return ObjectBuilder(env)
      .add("label", std::string_view(dispatch.label))
      .add("kernel", std::string_view(dispatch.kernel))
      .add("threadgroups", js_array(env, threadgroups))
      .add("threads", dispatch.threads)
      .add("patch", std::string_view(patch_name(dispatch.patch)))
      .add("weightBytes", static_cast<double>(dispatch.traffic.weights))
      .add("kvBytes", static_cast<double>(dispatch.traffic.kv))
      .add("otherBytes", static_cast<double>(dispatch.traffic.other))
      .build();
}

}  // namespace

napi_value js_dispatches(napi_env env, const std::vector<DispatchDescription>& dispatches) {
  std::vector<napi_value> values;
  for (const DispatchDescription& dispatch : dispatches) values.push_back(js_dispatch(env, dispatch));
  return js_array(env, values);
}

}  // namespace emberline::addon
