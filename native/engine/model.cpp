#include "engine/model.h"

#include <chrono>
#include <map>
#include <new>
#include <string_view>
#include <utility>

#include "engine/device_choice.h"
#include "engine/model_impl.h"

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

// A name worth showing, whatever the file says: a character cut in two becomes U+FFFD at the border.
constexpr std::size_t kMaxNameBytes = 200;

ModelInfo describe(const Model::Impl& model, const ModelOptions& options) {
  const GgufFile& file = *model.file;
  const Hyperparameters& h = model.parts.hyperparameters;
  ModelInfo info;
  info.name = std::string(file.get_string("general.name").value_or("").substr(0, kMaxNameBytes));
  if (info.name.empty()) info.name = file_stem(options.path);
  info.architecture = std::string(h.architecture->name);
  info.quantization = dominant_type(file);
  info.pre_tokenizer = model.parts.tokenizer->pre_tokenizer_name();
  info.device = model.device->description();
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

Status out_of_memory() {
  return Status(ErrorCode::kOutOfMemory,
                "There is not enough memory to load the model; close other programs.");
}

Result<std::unique_ptr<Model::Impl>> read_file(const std::string& path) {
  Result<std::unique_ptr<GgufFile>> file = GgufFile::open(path);
  if (!file.ok()) return file.error();
  Result<ModelParts> parts = read_model_parts(*file.value());
  if (!parts.ok()) return parts.error();
  TokenSets sets = TokenSets::build(*parts.value().tokenizer, parts.value().hyperparameters.vocabulary);
  return std::unique_ptr<Model::Impl>(new Model::Impl{.file = std::move(file).value(),
                                                      .parts = std::move(parts).value(),
                                                      .token_sets = std::move(sets),
                                                      .device = nullptr,
                                                      .weights = {},
                                                      .scratch = {},
                                                      .kv_pool = nullptr,
                                                      .info = {}});
}

Status place_on(Model::Impl& model, std::unique_ptr<Device> device) {
  model.device = std::move(device);
  Result<DeviceWeights> weights = DeviceWeights::load(*model.device, model.parts.weights, {});
  if (!weights.ok()) return weights.error();
  model.weights = std::move(weights).value();
  Result<Scratch> scratch = Scratch::allocate(*model.device, model.parts.hyperparameters);
  if (!scratch.ok()) return scratch.error();
  model.scratch = std::move(scratch).value();
  Result<std::unique_ptr<KvPool>> kv_pool = KvPool::create(*model.device, model.parts.hyperparameters);
  if (!kv_pool.ok()) return kv_pool.error();
  model.kv_pool = std::move(kv_pool).value();
  return {};
}

}  // namespace

Result<std::shared_ptr<Model>> Model::load(const ModelOptions& options) {
  Result<std::unique_ptr<Device>> device = make_device(options);
  if (!device.ok()) return device.error();
  return load_on(std::move(device).value(), options);
}

Result<std::shared_ptr<Model>> Model::load_on(std::unique_ptr<Device> device, const ModelOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  try {
    Result<std::unique_ptr<Impl>> impl = read_file(options.path);
    if (!impl.ok()) return impl.error();
    const Status placed = place_on(*impl.value(), std::move(device));
    if (!placed.ok()) return placed;
    impl.value()->info = describe(*impl.value(), options);
    impl.value()->info.load_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return std::shared_ptr<Model>(new Model(std::move(impl).value()));
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
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
