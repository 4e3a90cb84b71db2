// Whether a model would be loaded, as far as headers and the memory there is say.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "engine/memory_demand.h"
#include "engine/model.h"

namespace emberline {

// As Model::load of the same options, without a weight being touched; asked while another model runs:
// MODEL_..., FILE_..., DRAFT_TOKENIZER_DIFFERS, MODEL_EXCEEDS_MEMORY. `freed`: bytes that the other one gives
// back.
Status check_model(const ModelOptions& options, std::uint64_t freed = 0);

// MODEL_EXCEEDS_MEMORY where the model and its draft model together have no room in what `options` or the
// system says there is, with keys and values of `cache_type` (kKv... of op_params.h); MODEL_... and FILE_...
// where that cannot be known.
Status check_room(const ModelOptions& options, WeightPlace place, std::uint32_t cache_type);

// What a draft model has wrong, said of it.
Status draft_error(const Status& error);
// DRAFT_TOKENIZER_DIFFERS.
Status check_draft_tokenizer(const Tokenizer& model, const Tokenizer& draft);

}  // namespace emberline
