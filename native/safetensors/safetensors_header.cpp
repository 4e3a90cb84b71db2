#include "safetensors/safetensors_header.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/try.h"
#include "gguf/byte_cursor.h"
#include "gguf/describe.h"
#include "safetensors/model_json.h"

namespace emberline {
namespace {

using grammar::Json;

constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  // by the format's own reader
constexpr std::size_t kMostTensors = 65536;              // as of GGUF files
constexpr std::size_t kMostExtents = 8;

// 0 for a type that is not known.
std::uint64_t element_bytes(std::string_view type) {
  constexpr struct {
    std::string_view name;
    std::uint64_t bytes;
  } kTypes[] = {{"F32", 4}, {"F16", 2}, {"BF16", 2}, {"F64", 8},     {"U8", 1},
                {"I8", 1},  {"U16", 2}, {"I16", 2},  {"U32", 4},     {"I32", 4},
                {"U64", 8}, {"I64", 8}, {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};
  for (const auto& [name, bytes] : kTypes)
    if (name == type) return bytes;
  return 0;
}

class HeaderReader {
 public:
  HeaderReader(std::span<const std::uint8_t> bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  Result<std::vector<SafetensorsTensor>> read() {
    std::uint64_t length = 0;
    ByteCursor cursor(bytes_);
    if (!cursor.read(length)) return ends_early(sizeof length);
    if (length > kMostHeaderBytes)
      return corrupt("its header claims to have " + std::to_string(length) + " bytes");
    std::span<const std::uint8_t> header;
    if (!cursor.take(length, header)) return ends_early(sizeof length + length);
    data_ = bytes_.subspan(cursor.position());
    if (header.empty() || header.front() != '{') return corrupt("its header does not begin with a brace");
    // Of each tensor an object, three members and its extents.
    TRY_VALUE(const Json root, read_model_json(header, name_, kMostTensors * (6 + kMostExtents)));
    if (root.keys.size() > kMostTensors) return corrupt("it has more tensors than any model");
    std::vector<SafetensorsTensor> tensors;
    for (std::size_t i = 0; i < root.keys.size(); ++i) {
      if (root.keys[i] == "__metadata__") continue;
      TRY_VALUE(SafetensorsTensor tensor, entry(root.keys[i], root.items[i]));
      tensors.push_back(std::move(tensor));
    }
    TRY(check_places(tensors));
    return tensors;
  }

 private:
  Status corrupt(const std::string& fact) const {
    return {ErrorCode::kModelCorrupt, name_ + " of the model is damaged: " + fact + "; download it again."};
  }
  Status ends_early(std::uint64_t needed) const {
    return {ErrorCode::kModelTruncated, name_ + " of the model ends early, at byte " +
                                            std::to_string(bytes_.size()) + " of at least " +
                                            std::to_string(needed) + "; download it again."};
  }

  Result<SafetensorsTensor> entry(const std::string& name, const Json& value) const {
    const std::string which = "the tensor " + quoted(name);
    const std::optional<std::string_view> type = text(value.find("dtype"));
    const Json* const shape = array(value.find("shape"));
    const Json* const offsets = array(value.find("data_offsets"));
    if (!type || shape == nullptr || offsets == nullptr || offsets->items.size() != 2)
      return corrupt(which + " lacks its dtype, shape or data_offsets");
    const std::uint64_t element = element_bytes(*type);
    if (element == 0) {
      return Status(ErrorCode::kModelTensorTypeUnsupported,
                    "The tensor " + quoted(name) + " of the model is stored as type " + quoted(*type) +
                        ", which Emberline does not read; choose a model in BF16, F16 or F32.");
    }
    if (shape->items.size() > kMostExtents) return corrupt(which + " has too many dimensions");

    SafetensorsTensor tensor{name, std::string(*type), {}, {}};
    std::uint64_t size = element;
    for (const Json& extent : shape->items) {
      const std::optional<std::uint64_t> value_of = whole_number(&extent);
      if (!value_of) return corrupt(which + " has an extent that is no whole number");
      tensor.shape.push_back(*value_of);
      if (*value_of != 0 && size > std::numeric_limits<std::uint64_t>::max() / *value_of)
        return corrupt(which + " has an absurd size");
      size *= *value_of;
    }
    const std::optional<std::uint64_t> begin = whole_number(&offsets->items[0]),
                                       end = whole_number(&offsets->items[1]);
    if (!begin || !end || *begin > *end) return corrupt(which + " has offsets that make no range");
    if (*end - *begin != size) return corrupt(which + " has another size than its shape");
    if (*end > data_.size()) {
      const std::uint64_t before = bytes_.size() - data_.size();
      if (*end > std::numeric_limits<std::uint64_t>::max() - before)
        return corrupt(which + " has an absurd offset");
      return ends_early(before + *end);
    }
    tensor.data = data_.subspan(static_cast<std::size_t>(*begin), static_cast<std::size_t>(size));
    return tensor;
  }

  // Orders the tensors by their data.
  Status check_places(std::vector<SafetensorsTensor>& tensors) const {
    std::ranges::sort(tensors, [](const SafetensorsTensor& a, const SafetensorsTensor& b) {
      return a.data.data() != b.data.data() ? a.data.data() < b.data.data() : a.data.size() < b.data.size();
    });
    const std::uint8_t* next = data_.data();
    for (const SafetensorsTensor& tensor : tensors) {
      if (tensor.data.data() < next)
        return corrupt("the tensor " + quoted(tensor.name) + " overlaps another");
      if (tensor.data.data() > next)
        return corrupt("there is a gap in front of the tensor " + quoted(tensor.name));
      next += tensor.data.size();
    }
    if (next != data_.data() + data_.size()) return corrupt("there is more behind its last tensor");
    return {};
  }

  std::span<const std::uint8_t> bytes_, data_;
  const std::string& name_;
};

}  // namespace

Result<std::vector<SafetensorsTensor>> read_safetensors(std::span<const std::uint8_t> bytes,
                                                        const std::string& name) {
  return HeaderReader(bytes, name).read();
}

}  // namespace emberline
