#include "engine/model.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "base/stopwatch.h"
#include "base/threads.h"
#include "base/try.h"
#include "engine/device_choice.h"
#include "engine/kv_cache_type.h"
#include "engine/memory_demand.h"
#include "engine/model_check.h"
#include "engine/model_file.h"
#include "engine/model_impl.h"
#include "engine/packed_copy_path.h"
#include "model/device_needs.h"

namespace emberline {

namespace {

// The type that holds most of the file's weights: "Q4_1".
std::string dominant_type(const GgufFile& file) {
  std::map<std::uint32_t, std::size_t> bytes;
  for (const GgufTensor& tensor : file.tensors()) bytes[tensor.type_id] += tensor.data.size();
  std::uint32_t dominant = static_cast<std::uint32_t>(TensorType::kF32);
  for (const auto& [type, size] : bytes) {
    if (size > bytes[dominant]) dominant = type;
  }
  const TensorTypeTraits* type = tensor_type_traits(dominant);
  return type != nullptr ? type->name : "";
}

std::uint64_t parameter_count(const GgufFile& file) {
  std::uint64_t count = 0;
  for (const GgufTensor& tensor : file.tensors()) {
    std::uint64_t elements = 1;
    for (const std::uint64_t extent : tensor.shape) elements *= extent;
    count += elements;
  }
  return count;
}

std::string file_stem(std::string_view path) {
  const std::size_t slash = path.find_last_of("/\\");
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  return std::string(path.substr(0, path.rfind('.')));
}

// As much of a name as is worth showing, whatever the file says: a character cut in two becomes U+FFFD at the
// border.
constexpr std::size_t kMaxNameBytes = 200;

// A longer one is no template: those of known models have 40 KB at most.
constexpr std::size_t kMaxTemplateBytes = std::size_t{1} << 20;

void describe_chat(const Tokenizer& tokenizer, const GgufFile& file, ModelInfo& info) {
  const std::string_view text = file.get_string("tokenizer.chat_template").value_or("");
  if (text.size() <= kMaxTemplateBytes) info.chat_template = text;
  if (tokenizer.bos() != kNoToken) info.begin_token = tokenizer.bytes(tokenizer.bos());
  if (tokenizer.eos() != kNoToken) info.end_token = tokenizer.bytes(tokenizer.eos());
}

ModelInfo describe(const Model::Impl& model, const GgufFile& file, const ModelOptions& options) {
  const Hyperparameters& h = model.parts.hyperparameters;
  ModelInfo info;
  info.name = std::string(file.get_string("general.name").value_or("").substr(0, kMaxNameBytes));
  if (info.name.empty()) info.name = file_stem(options.path);
  info.architecture = std::string(h.architecture->name);
  info.quantization = dominant_type(file);
  info.pre_tokenizer = model.parts.tokenizer->pre_tokenizer_name();
  info.fim = model.parts.tokenizer->fim();
  info.fim_layout =
      std::string(file.get_string("emberline.fim.layout").value_or(info.fim.layout).substr(0, kMaxNameBytes));
  describe_chat(*model.parts.tokenizer, file, info);
  info.device = model.device->description();
  info.kv_cache = kv_cache_name(model.kv_memory->cache_type());
  if (info.kv_cache != options.kv_cache) {
    info.kv_cache_reason = std::string("The device ") + model.device->name() + " keeps keys and values as " +
                           info.kv_cache + " alone.";
  }
  info.packed_copy = model.weights.from_copy();
  info.file_bytes = file.file_bytes();
  info.parameters = parameter_count(file);
  info.layers = h.layers;
  info.width = h.width;
  info.heads = h.query_heads;
  info.kv_heads = h.kv_heads;
  info.vocabulary = h.vocabulary;
  info.context_length = h.context_length;
  return info;
}

// What the text side of a model is made of.
struct TextParts {
  std::unique_ptr<Tokenizer> tokenizer;
  TokenSets sets;
};

Result<TextParts> read_text(const GgufFile& file, std::uint32_t vocabulary) {
  TRY_VALUE(std::unique_ptr<Tokenizer> tokenizer, read_tokenizer(file, vocabulary));
  TokenSets sets = TokenSets::build(*tokenizer, vocabulary);
  return TextParts{std::move(tokenizer), std::move(sets)};
}

Status place_on(Model::Impl& model, const GgufFile& file, std::shared_ptr<Device> device,
                const ModelOptions& options) {
  model.device = std::move(device);
  const ModelNeeds needs = device_needs(model.parts.hyperparameters, model.parts.weights);
  if (needs.experts && !model.device->offers(Op::kExperts, kPrefillRows)) {
    return Status(ErrorCode::kDeviceUnavailable, std::string("The device ") + model.device->name() +
                                                     " does not run mixtures of experts; use the processor.");
  }
  TRY(model.device->examine(needs));
  const MatrixLoading loading{[&file](std::span<const std::uint8_t> bytes) { file.discard(bytes); },
                              packed_copy_path(options.packed_folder, options.path, file.identity()),
                              file.mapping()};
  TRY_VALUE(model.weights, DeviceWeights::load(*model.device, model.parts.weights, loading));
  TRY_VALUE(model.scratch, Scratch::allocate(*model.device, model.parts.hyperparameters));
  TRY_VALUE(const std::uint32_t asked, kv_cache_type(options.kv_cache));
  TRY_VALUE(model.kv_memory, KvMemory::create(*model.device, model.parts.hyperparameters,
                                              kv_cache_type_on(*model.device, asked)));
  // A GPU's pipelines are compiled when tables are prepared: here, where another device can still be chosen,
  // and not in the first session. A pass that runs nothing takes no memory for keys and values.
  if (model.device->name() == std::string_view("cpu")) return {};
  // Longer than a sliding window, which is in the tables of such contexts alone.
  const Hyperparameters& h = model.parts.hyperparameters;
  const std::uint32_t context = std::min(h.context_length, std::max(kPrefillRows, h.window + 1));
  const Result<std::unique_ptr<ForwardPass>> pass = ForwardPass::create(model.on_device(), context);
  return pass.ok() ? Status() : pass.error();
}

WeightPlace weight_place(const Device& device) {
  return device.name() == std::string_view("cpu") ? WeightPlace::kPacked : WeightPlace::kMapped;
}

// Whether the system calls the memory of the model's weights available while it runs
// (base/available_memory.h): pages of a file that can be read again, but not on Windows, which counts what a
// process has mapped.
bool counts_as_available(const Model::Impl& model) {
#if defined(_WIN32)
  (void)model;
  return false;
#else
  return model.weights.from_copy();
#endif
}

// Whether another device may do better. What is wrong with a file is wrong on each.
bool is_of_the_device(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOutOfMemory:
    case ErrorCode::kInvalidArgument:  // a shape that the device's kernels do not take
    case ErrorCode::kLogitsNotFinite:
    case ErrorCode::kDeviceUnavailable:
    case ErrorCode::kDeviceFailed:
    case ErrorCode::kInternal: return true;
    default: return false;
  }
}

}  // namespace

Result<std::shared_ptr<Model>> Model::load(const ModelOptions& options) {
  Result<ChosenDevice> chosen = choose_device(options);
  if (!chosen.ok()) return chosen.error();
  std::string reason = std::move(chosen.value().reason);
  const bool other_device =
      options.device == "auto" && chosen.value().device->name() != std::string_view("cpu");
  Result<std::shared_ptr<Model>> loaded = load_on(std::move(chosen.value().device), options);
  if (!loaded.ok() && other_device && is_of_the_device(loaded.code())) {
    reason = loaded.error().message();
    ModelOptions on_cpu = options;
    on_cpu.device = "cpu";
    chosen = choose_device(on_cpu);
    if (!chosen.ok()) return chosen.error();
    loaded = load_on(std::move(chosen.value().device), on_cpu);
  }
  if (loaded.ok()) loaded.value()->impl_->info.device_reason = std::move(reason);
  return loaded;
}

Result<std::shared_ptr<Model>> Model::load_on(std::unique_ptr<Device> device, const ModelOptions& options) {
  const std::shared_ptr<Device> shared = std::move(device);
  Result<std::shared_ptr<Model>> loaded = load_pair(shared, options);
  if (loaded.ok() || options.draft_path.empty() || !options.draft_optional) return loaded;
  ModelOptions alone = options;
  alone.draft_path.clear();
  return load_pair(shared, alone);
}

Result<std::shared_ptr<Model>> Model::load_pair(const std::shared_ptr<Device>& shared,
                                                const ModelOptions& options) {
  TRY_VALUE(const std::uint32_t asked, kv_cache_type(options.kv_cache));
  TRY(check_room(options, weight_place(*shared), kv_cache_type_on(*shared, asked)));
  Result<std::shared_ptr<Model>> loaded = load_file(shared, options);
  if (!loaded.ok() || options.draft_path.empty()) return loaded;
  ModelOptions of_draft = options;
  of_draft.path = options.draft_path;
  Result<std::shared_ptr<Model>> draft = load_file(shared, of_draft);
  if (!draft.ok()) return draft_error(draft.error());
  TRY(check_draft_tokenizer(loaded.value()->tokenizer(), draft.value()->tokenizer()));
  ModelInfo& info = loaded.value()->impl_->info;
  info.draft = draft.value()->info().name;
  info.load_ms += draft.value()->info().load_ms;
  info.held_bytes += draft.value()->info().held_bytes;
  loaded.value()->impl_->draft = std::move(draft).value();
  return loaded;
}

Result<std::shared_ptr<Model>> Model::load_file(std::shared_ptr<Device> device, const ModelOptions& options) {
  const Stopwatch watch;
  TRY_VALUE(const InstructionSet isa, instruction_set(options.isa));
  TRY_VALUE(std::unique_ptr<GgufFile> opened, open_model_file(options.path, FolderUse::kLoad));
  const GgufFile& file = *opened;
  TRY_VALUE(ModelParts layout, read_layout(file));
  const MemoryDemand demand = memory_demand(outline_of(file, layout), weight_place(*device), kKvF16);
  // The tokenizer is made beside the weights: each takes about half of the time to load a small model.
  const std::uint32_t vocabulary = layout.hyperparameters.vocabulary;
  Beside<Result<TextParts>> reading =
      begin_beside([&file, vocabulary] { return read_text(file, vocabulary); });
  std::unique_ptr<Impl> impl(new Impl{.parts = std::move(layout), .sampling_kernels = sampling_kernels(isa)});
  const Status placed = place_on(*impl, file, std::move(device), options);
  Result<TextParts> read = reading.get();
  schedule_point("load.read");
  // First: what else is wrong may come of it.
  if (file.changed()) {
    return Status(ErrorCode::kFileIo, options.path +
                                          " was written to while it was read, or the disk fails; wait until "
                                          "it is whole, and load it again.");
  }
  if (!placed.ok()) return placed;
  TRY_VALUE(TextParts text, std::move(read));
  impl->parts.tokenizer = std::move(text.tokenizer);
  impl->token_sets = std::move(text.sets);
  impl->info = describe(*impl, file, options);
  impl->info.held_bytes = (counts_as_available(*impl) ? 0 : demand.weight_bytes) + demand.working_bytes;
  forget_file(impl->parts.weights);
  // Where the device has not kept the mapping nothing refers to the file from here on: whatever becomes of
  // it, the model runs.
  if (impl->weights.keeps_sources()) impl->file = std::move(opened);
  opened.reset();
  impl->info.load_ms = watch.milliseconds();
  return std::shared_ptr<Model>(new Model(std::move(impl)));
}

Status Model::Impl::check_file() const {
  if (file == nullptr || !file->changed()) return Status();
  return {ErrorCode::kDeviceFailed,
          "The model's file was written to while it was in use, or the disk fails; load the model again."};
}

Result<std::shared_ptr<const GrammarTokens>> Model::Impl::tokens_of_grammars() {
  if (grammar_tokens == nullptr) {
    TRY_VALUE(grammar_tokens, GrammarTokens::build(*parts.tokenizer, parts.hyperparameters.vocabulary));
  }
  return grammar_tokens;
}

Model::Model(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Model::~Model() = default;

const ModelInfo& Model::info() const {
  return impl_->info;
}
const Tokenizer& Model::tokenizer() const {
  return *impl_->parts.tokenizer;
}

}  // namespace emberline
