#include "host/execution/resources.h"

#include <algorithm>
#include <utility>

namespace emberline::metal_sim {
namespace {

// Whether the boolean function constant of a parameter, [[function_constant(name)]], lets it be there.
bool is_there(const BufferParameter& parameter, const Pipeline& pipeline) {
  if (parameter.condition.empty()) return true;
  const auto& declared = pipeline.library.constants();
  const auto constant = std::find_if(declared.begin(), declared.end(), [&](const ConstantInfo& info) {
    return info.name == parameter.condition;
  });
  if (constant == declared.end()) return true;
  const auto value = std::find_if(pipeline.constants.begin(), pipeline.constants.end(),
                                  [&](const ConstantValue& given) { return given.index == constant->index; });
  return value != pipeline.constants.end() && (value->bits & 0xff) != 0;
}

}  // namespace

PipelineCode::PipelineCode(std::string label_text, Pipeline made) : pipeline(std::move(made)) {
  label = std::move(label_text);
  for (const BufferParameter& parameter : pipeline.info().buffers) {
    if (is_there(parameter, pipeline)) buffers.push_back(parameter);
  }
}

}  // namespace emberline::metal_sim
