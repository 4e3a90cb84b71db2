#include "safetensors/model_folder.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/half.h"
#include "base/mmap_file.h"
#include "base/try.h"
#include "gguf/describe.h"
#include "safetensors/chat_template.h"
#include "safetensors/config_metadata.h"
#include "safetensors/gguf_terms.h"
#include "safetensors/mlx_weights.h"
#include "safetensors/model_json.h"
#include "safetensors/safetensors_header.h"
#include "safetensors/tensor_names.h"
#include "safetensors/tokenizer_metadata.h"

namespace emberline {
namespace {

using grammar::Json;

constexpr std::size_t kAlignment = 8;      // of a tensor's data, as in GGUF files
constexpr std::size_t kMostInAll = 65536;  // as of GGUF files
constexpr const char* kWhole = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

class FolderReader {
 public:
  FolderReader(std::string folder, FolderUse use) : folder_(std::move(folder)), use_(use) {
    while (folder_.size() > 1 && (folder_.ends_with('/') || folder_.ends_with('\\'))) folder_.pop_back();
  }

  Result<std::unique_ptr<GgufFile>> open() {
    Result<Json> config = json("config.json");
    if (config.code() == ErrorCode::kFileNotFound) {
      return Status(ErrorCode::kModelNotGguf,
                    "The folder is not a model: it has no config.json; choose a folder with config.json, "
                    "tokenizer.json and model.safetensors, or a GGUF file.");
    }
    if (!config.ok()) return config.error();
    TRY_VALUE(config_, read_config(config.value(), terms_));
    terms_.add_text("general.name", folder_.substr(folder_.find_last_of("/\\") + 1));
    TRY(tokenizer());
    TRY(map_files());
    for (const SafetensorsTensor& tensor : tensors_) by_name_.emplace(tensor.name, &tensor);
    for (const SafetensorsTensor& tensor : tensors_) TRY(add(tensor));
    if (!config_.tied && !by_name_.contains("lm_head.weight")) {
      return Status(ErrorCode::kModelTensorMissing,
                    "The model lacks the tensor lm_head.weight; get another file.");
    }
    if (!config_.rope_factors.empty()) TRY(add_rope_factors());
    return std::move(terms_).file(std::move(files_));
  }

 private:
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  Result<Json> json(const std::string& name) {
    TRY_VALUE(const MappedFile file, MappedFile::open(path(name)));
    return read_model_json(file.bytes(), name);
  }

  Status tokenizer() {
    TRY_VALUE(const Json tokenizer, json("tokenizer.json"));
    Result<Json> settings = json("tokenizer_config.json");
    if (!settings.ok() && settings.code() != ErrorCode::kFileNotFound) return settings.error();
    const Json said = settings.ok() ? std::move(settings).value() : Json();
    TRY_VALUE(const std::optional<std::string> chat, read_chat_template(path("chat_template.jinja"), said));
    if (chat) terms_.add_text("tokenizer.chat_template", *chat);
    return read_tokenizer_json(tokenizer, said, config_, terms_);
  }

  // The files with weights, each mapped and read.
  Status map_files() {
    Result<MappedFile> whole = MappedFile::open(path(kWhole));
    if (whole.ok()) return map_file(kWhole, std::move(whole).value());
    if (whole.code() != ErrorCode::kFileNotFound) return whole.error();
    Result<Json> index = json(kIndex);
    if (index.code() == ErrorCode::kFileNotFound) {
      return {ErrorCode::kFileNotFound,
              "The model's folder has neither model.safetensors nor "
              "model.safetensors.index.json; download it again."};
    }
    if (!index.ok()) return index.error();
    const Json* const places = object(index.value().find("weight_map"));
    if (places == nullptr) {
      return {ErrorCode::kModelCorrupt, std::string(kIndex) + " has no \"weight_map\"; download it again."};
    }
    std::vector<std::string> names;
    for (const Json& place : places->items) {
      const std::string name(text(&place).value_or(""));
      if (name.empty() || name.find_first_of("/\\:") != std::string::npos) {
        return {ErrorCode::kModelCorrupt, std::string(kIndex) + " names the file " + quoted(name) +
                                              ", which is none of its folder; download it again."};
      }
      names.push_back(name);
    }
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    for (const std::string& name : names) {
      TRY_VALUE(MappedFile file, MappedFile::open(path(name)));
      TRY(map_file(name, std::move(file)));
    }
    for (std::size_t i = 0; i < places->keys.size(); ++i) {
      const auto file = file_of_.find(places->keys[i]);
      if (file == file_of_.end() || file->second != places->items[i].text) {
        return {ErrorCode::kModelTensorMissing, "The model's file " + quoted(places->items[i].text) +
                                                    " lacks the tensor " + quoted(places->keys[i]) +
                                                    "; download it again."};
      }
    }
    return {};
  }

  Status map_file(const std::string& name, MappedFile file) {
    TRY_VALUE(std::vector<SafetensorsTensor> found, read_safetensors(file.bytes(), name));
    if (tensors_.size() + found.size() > kMostInAll) {
      return {ErrorCode::kModelCorrupt,
              "The model's folder has more than 65,536 tensors; download it again."};
    }
    for (SafetensorsTensor& tensor : found) {
      if (!file_of_.emplace(tensor.name, name).second) {
        return {ErrorCode::kModelCorrupt, "The model's file " + quoted(name) + " has the tensor " +
                                              quoted(tensor.name) + " of another one; download it again."};
      }
      tensors_.push_back(std::move(tensor));
    }
    files_.push_back(std::move(file));
    return {};
  }

  const SafetensorsTensor* find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

  // Whether nothing is lost when it goes unread.
  bool is_needless(const std::string& name) const {
    return name.ends_with(".rotary_emb.inv_freq") || (config_.tied && name.starts_with("lm_head."));
  }

  Status add(const SafetensorsTensor& tensor) {
    if (is_needless(tensor.name)) return {};
    const std::size_t dot = tensor.name.rfind('.');
    const std::string part = tensor.name.substr(0, dot);
    const std::string_view kind = std::string_view(tensor.name).substr(std::min(dot, tensor.name.size()));
    if (config_.quantization) {
      const SafetensorsTensor* const weight = find(part + ".weight");
      const bool packed = weight != nullptr && weight->type == "U32";
      if (packed && (kind == ".scales" || kind == ".biases")) return {};
      if (packed && kind == ".weight") return add_quantized(tensor, part);
    }
    const std::string name = gguf_tensor_name(tensor.name, config_.norms_behind);
    const TensorType type = tensor.type == "F32"   ? TensorType::kF32
                            : tensor.type == "F16" ? TensorType::kF16
                                                   : TensorType::kBF16;
    if (tensor.type != traits(type).name) {
      return {ErrorCode::kModelTensorTypeUnsupported,
              "The tensor " + quoted(tensor.name) + " of the model is stored as type " + tensor.type +
                  ", which Emberline does not read; choose a model in BF16, F16 or F32."};
    }
    if (tensor.shape.empty() || tensor.shape.size() > 4 || tensor.data.empty()) {
      return {ErrorCode::kModelTensorShape, "The tensor " + quoted(tensor.name) +
                                                " of the model has an unusable shape; get another model."};
    }
    const std::vector<std::uint64_t> shape(tensor.shape.rbegin(), tensor.shape.rend());
    if (shape.size() == 1 && type != TensorType::kF32) return add_widened(name, tensor, type);
    if (reinterpret_cast<std::uintptr_t>(tensor.data.data()) % kAlignment == 0) {
      terms_.add_tensor(name, type, shape, tensor.data);
      return {};
    }
    TRY_VALUE(const std::span<std::uint8_t> copy, terms_.memory(tensor.data.size()));
    if (use_ == FolderUse::kLoad || shape.size() == 1)
      std::memcpy(copy.data(), tensor.data.data(), copy.size());
    terms_.add_tensor(name, type, shape, copy);
    return {};
  }

  // A vector of half floats: exact.
  Status add_widened(const std::string& name, const SafetensorsTensor& tensor, TensorType type) {
    TRY_VALUE(const std::span<std::uint8_t> memory, terms_.memory(tensor.data.size() * 2));
    for (std::size_t i = 0; i < tensor.shape[0]; ++i) {
      std::uint16_t bits;
      std::memcpy(&bits, tensor.data.data() + i * sizeof bits, sizeof bits);
      const float value = type == TensorType::kF16 ? f16_to_f32(bits) : bf16_to_f32(bits);
      std::memcpy(memory.data() + i * sizeof value, &value, sizeof value);
    }
    terms_.add_tensor(name, TensorType::kF32, tensor.shape, memory);
    return {};
  }

  Status add_quantized(const SafetensorsTensor& weight, const std::string& part) {
    const SafetensorsTensor *const scales = find(part + ".scales"), *const biases = find(part + ".biases");
    if (scales == nullptr || biases == nullptr) {
      return {ErrorCode::kModelTensorMissing, "The model lacks the scales or biases of the tensor " +
                                                  quoted(weight.name) + "; get another model."};
    }
    const auto own = config_.quantized_parts.find(part);
    const MlxGroups& groups = own != config_.quantized_parts.end() ? own->second : *config_.quantization;
    TRY_VALUE(const MlxMatrix matrix, mlx_matrix(weight, *scales, *biases, groups));
    const TensorType type = engine_type(groups);
    const TensorTypeTraits& layout = traits(type);
    const auto bytes =
        static_cast<std::size_t>(matrix.rows * matrix.columns / layout.block_elements * layout.block_bytes);
    TRY_VALUE(const std::span<std::uint8_t> memory, terms_.memory(bytes));
    if (use_ == FolderUse::kLoad) TRY(unpack(matrix, memory));
    const std::uint64_t shape[] = {matrix.columns, matrix.rows};
    terms_.add_tensor(gguf_tensor_name(weight.name, config_.norms_behind), type, shape, memory);
    return {};
  }

  Status add_rope_factors() {
    const std::vector<float>& factors = config_.rope_factors;
    const std::uint64_t shape[] = {factors.size()};
    TRY_VALUE(const std::span<std::uint8_t> memory, terms_.memory(factors.size() * sizeof(float)));
    std::memcpy(memory.data(), factors.data(), memory.size());
    terms_.add_tensor("rope_freqs.weight", TensorType::kF32, shape, memory);
    return {};
  }

  std::string folder_;
  FolderUse use_;
  GgufTerms terms_;
  FolderConfig config_;
  std::vector<MappedFile> files_;
  std::vector<SafetensorsTensor> tensors_;
  std::unordered_map<std::string, std::string> file_of_;
  std::unordered_map<std::string, const SafetensorsTensor*> by_name_;
};

}  // namespace

Result<std::unique_ptr<GgufFile>> open_model_folder(const std::string& utf8_folder, FolderUse use) {
  return FolderReader(utf8_folder, use).open();
}

}  // namespace emberline
