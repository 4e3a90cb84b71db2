#include "engine/dispatch_list.h"

#include <algorithm>
#include <memory>

#include "base/try.h"
#include "engine/model_impl.h"

namespace emberline {

Result<std::vector<DispatchDescription>> list_dispatches(Model& model, std::uint32_t rows, bool sampled) {
  // Memory for keys and values comes with the first of them: a pass that runs nothing takes none.
  const std::uint32_t context = std::min(model.info().context_length, kPrefillRows);
  TRY_VALUE(const std::unique_ptr<ForwardPass> pass, ForwardPass::create(model.impl().on_device(), context));
  return pass->describe(rows, sampled);
}

const char* patch_name(Patch patch) {
  switch (patch) {
    case Patch::kNone: return "none";
    case Patch::kTokenOffset: return "token_offset";
    case Patch::kPosition: return "position";
    case Patch::kArgmaxOutput: return "argmax_output";
  }
  return "none";
}

}  // namespace emberline
