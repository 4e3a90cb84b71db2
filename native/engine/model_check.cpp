#include "engine/model_check.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/available_memory.h"
#include "base/try.h"
#include "engine/device_choice.h"
#include "engine/model_file.h"
#include "engine/model_parts.h"
#include "tokenizer/tokenizer_comparison.h"

namespace emberline {

namespace {

struct CheckedFile {
  MemoryDemand demand;
  std::unique_ptr<Tokenizer> tokenizer;
};

Result<CheckedFile> check_file(const std::string& path, WeightPlace place) {
  TRY_VALUE(const std::unique_ptr<GgufFile> file, open_model_file(path, FolderUse::kLook));
  TRY_VALUE(ModelParts parts, read_layout(*file));
  TRY_VALUE(std::unique_ptr<Tokenizer> tokenizer, read_tokenizer(*file, parts.hyperparameters.vocabulary));
  return CheckedFile{memory_demand(outline_of(*file, parts), place), std::move(tokenizer)};
}

}  // namespace

Status check_model(const ModelOptions& options, std::uint64_t freed) {
  const WeightPlace place = may_choose_gpu(options) ? WeightPlace::kMapped : WeightPlace::kPacked;
  TRY_VALUE(const CheckedFile model, check_file(options.path, place));
  if (options.draft_path.empty()) return check_room(model.demand, options, freed);
  const Result<CheckedFile> draft = check_file(options.draft_path, place);
  if (!draft.ok()) return draft_error(draft.error());
  TRY(check_draft_tokenizer(*model.tokenizer, *draft.value().tokenizer));
  return check_room(model.demand.with_draft(draft.value().demand), options, freed);
}

Status check_room(const MemoryDemand& demand, const ModelOptions& options, std::uint64_t freed) {
  const std::optional<std::uint64_t> available =
      options.available_memory ? options.available_memory : available_memory();
  if (!available) return {};
  return check_memory(demand, std::max(options.context, std::uint32_t{1}), *available + freed);
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
