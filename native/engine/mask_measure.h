// What the masks of a grammar cost along a text: for people, and for comparing.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engine/model.h"
#include "grammar/grammar.h"

namespace emberline {

// mask_times() along the canonical form of `instance`, in the model's tokens. Asked by the thread that drives
// the model. Errors of Grammar::canonical() and mask_times(), OUT_OF_MEMORY.
Result<std::vector<double>> measure_masks(Model& model, std::shared_ptr<const grammar::Grammar> grammar,
                                          std::string_view instance);

}  // namespace emberline
