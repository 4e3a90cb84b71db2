#include "engine/mask_measure.h"

#include <string>
#include <utility>

#include "decode/grammar_constraint.h"
#include "engine/model_impl.h"

namespace emberline {

Result<std::vector<double>> measure_masks(Model& model, std::shared_ptr<const grammar::Grammar> grammar,
                                          std::string_view instance) {
  const Result<std::string> text = grammar->canonical(instance);
  if (!text.ok()) return text.error();
  auto tokens = model.impl().tokens_of_grammars();
  if (!tokens.ok()) return tokens.error();
  return mask_times(std::move(grammar), std::move(tokens).value(),
                    model.tokenizer().encode(text.value(), false));
}

}  // namespace emberline
