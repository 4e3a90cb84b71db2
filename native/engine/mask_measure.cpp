#include "engine/mask_measure.h"

#include <string>
#include <utility>

#include "base/try.h"
#include "decode/grammar_constraint.h"
#include "engine/model_impl.h"

namespace emberline {

Result<std::vector<double>> measure_masks(Model& model, std::shared_ptr<const grammar::Grammar> grammar,
                                          std::string_view instance) {
  TRY_VALUE(const std::string text, grammar->canonical(instance));
  TRY_VALUE(auto tokens, model.impl().tokens_of_grammars());
  return mask_times(std::move(grammar), std::move(tokens), model.tokenizer().encode(text, false));
}

}  // namespace emberline
