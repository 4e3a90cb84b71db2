#include "engine/model_check.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/available_memory.h"
#include "base/try.h"
#include "engine/device_choice.h"
#include "engine/kv_cache_type.h"
#include "engine/model_file.h"
#include "engine/model_parts.h"
#include "tokenizer/tokenizer_comparison.h"

namespace emberline {

namespace {

// What is known of a file by its headers.
struct Headers {
  std::unique_ptr<GgufFile> file;
  ModelParts parts;
};

Result<Headers> read_headers(const std::string& path) {
  TRY_VALUE(std::unique_ptr<GgufFile> file, open_model_file(path, FolderUse::kLook));
  TRY_VALUE(ModelParts parts, read_layout(*file));
  return Headers{std::move(file), std::move(parts)};
}

MemoryDemand demand_of(const Headers& model, WeightPlace place, std::uint32_t cache_type) {
  return memory_demand(outline_of(*model.file, model.parts), place, cache_type);
}

Result<std::unique_ptr<Tokenizer>> tokenizer_of(const Headers& model) {
  return read_tokenizer(*model.file, model.parts.hyperparameters.vocabulary);
}

Status check_demand(const MemoryDemand& demand, const ModelOptions& options, std::uint64_t freed) {
  const std::optional<std::uint64_t> available =
      options.available_memory ? options.available_memory : available_memory();
  if (!available) return {};
  return check_memory(demand, std::max(options.context, std::uint32_t{1}), *available + freed);
}

Status check_pair(const ModelOptions& options, std::uint64_t freed) {
  const WeightPlace place = may_choose_gpu(options) ? WeightPlace::kMapped : WeightPlace::kPacked;
  TRY_VALUE(const std::uint32_t asked, kv_cache_type(options.kv_cache));
  // A GPU keeps no others.
  const std::uint32_t cache_type = place == WeightPlace::kMapped ? kKvF16 : asked;
  TRY_VALUE(const Headers model, read_headers(options.path));
  TRY_VALUE(const std::unique_ptr<Tokenizer> tokenizer, tokenizer_of(model));
  MemoryDemand demand = demand_of(model, place, cache_type);
  if (!options.draft_path.empty()) {
    const Result<Headers> draft = read_headers(options.draft_path);
    if (!draft.ok()) return draft_error(draft.error());
    const Result<std::unique_ptr<Tokenizer>> of_draft = tokenizer_of(draft.value());
    if (!of_draft.ok()) return draft_error(of_draft.error());
    TRY(check_draft_tokenizer(*tokenizer, *of_draft.value()));
    demand = demand.with_draft(demand_of(draft.value(), place, cache_type));
  }
  return check_demand(demand, options, freed);
}

}  // namespace

Status check_model(const ModelOptions& options, std::uint64_t freed) {
  const Status checked = check_pair(options, freed);
  if (checked.ok() || options.draft_path.empty() || !options.draft_optional) return checked;
  ModelOptions alone = options;
  alone.draft_path.clear();
  return check_pair(alone, freed);
}

Status check_room(const ModelOptions& options, WeightPlace place, std::uint32_t cache_type) {
  TRY_VALUE(const Headers model, read_headers(options.path));
  MemoryDemand demand = demand_of(model, place, cache_type);
  if (!options.draft_path.empty()) {
    const Result<Headers> draft = read_headers(options.draft_path);
    if (!draft.ok()) return draft_error(draft.error());
    demand = demand.with_draft(demand_of(draft.value(), place, cache_type));
  }
  return check_demand(demand, options, 0);
}

Status draft_error(const Status& error) {
  return {error.code(), "The draft model could not be loaded: " + error.message()};
}

Status check_draft_tokenizer(const Tokenizer& model, const Tokenizer& draft) {
  const std::string difference = tokenizer_difference(model, draft);
  if (difference.empty()) return {};
  return {ErrorCode::kDraftTokenizerDiffers, "The draft model has another tokenizer (" + difference +
                                                 "); choose one of the same family as the model."};
}

}  // namespace emberline
