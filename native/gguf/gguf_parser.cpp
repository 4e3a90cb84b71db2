#include "gguf/gguf_parser.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "gguf/byte_cursor.h"
#include "gguf/describe.h"

namespace emberline {
namespace {

// Lengths above these do not come from a file cut short but from damaged bytes.
constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 46;
constexpr std::uint64_t kMaxStringBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxNameBytes = 65535;  // of keys, by the specification; here of tensor names too

// Far beyond any model; a file with more is damaged, and listing its contents would take minutes.
constexpr std::uint64_t kMaxEntries = 65536;

constexpr std::uint64_t kMinMetadataBytes = 8 + 4 + 1;        // empty key, type, one-byte value
constexpr std::uint64_t kMinTensorBytes = 8 + 4 + 8 + 4 + 8;  // empty name, rank, one extent, type, offset
constexpr std::uint64_t kDefaultAlignment = 32;
constexpr std::uint32_t kMaxRank = 4;
constexpr int kMaxArrayDepth = 4;

// a * b and a + b, or the largest value.
constexpr std::uint64_t kSaturated = std::numeric_limits<std::uint64_t>::max();
std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kSaturated / b ? kSaturated : a * b;
}
std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a > kSaturated - b ? kSaturated : a + b;
}

// Bytes of one element of an array; 0 for the types without a fixed size and for unknown ones.
std::uint64_t element_bytes(std::uint32_t type) {
  switch (static_cast<GgufType>(type)) {
    case GgufType::kU8:
    case GgufType::kI8:
    case GgufType::kBool: return 1;
    case GgufType::kU16:
    case GgufType::kI16: return 2;
    case GgufType::kU32:
    case GgufType::kI32:
    case GgufType::kF32: return 4;
    case GgufType::kU64:
    case GgufType::kI64:
    case GgufType::kF64: return 8;
    case GgufType::kString:
    case GgufType::kArray: return 0;
  }
  return 0;
}

Status corrupt(const std::string& fact) {
  return {ErrorCode::kModelCorrupt, "The model file is damaged: " + fact + "; download it again."};
}

class Parser {
 public:
  explicit Parser(std::span<const std::uint8_t> bytes) : bytes_(bytes), cursor_(bytes) {}

  Status parse();
  GgufContents take_contents() { return std::move(contents_); }

 private:
  Status header();
  Status metadata_entry();
  Status value(std::uint32_t type, GgufValue& value);
  template <typename Stored, typename Kept>
  Status scalar(GgufValue& value);
  Status boolean(GgufValue& value);
  Status array(GgufArray& array);
  Status skip_arrays(std::uint64_t count, int depth);
  Status string(std::uint64_t max_bytes, const char* what, std::string_view& text);
  Status find_alignment();
  Status tensor_info();
  Status place_tensors();

  // Where the file is read: " at byte 24".
  std::string here() const { return " at byte " + std::to_string(cursor_.position()); }
  // The file would need to have `needed` bytes.
  Status ends_early(std::uint64_t needed) const {
    if (needed > kMaxFileBytes)
      return corrupt("a length before byte " + std::to_string(cursor_.position()) + " is absurd");
    return {ErrorCode::kModelTruncated, "The model file ends early, at byte " +
                                            std::to_string(bytes_.size()) + " of at least " +
                                            std::to_string(needed) + "; download it again."};
  }
  Status short_of(std::uint64_t count) const { return ends_early(saturating_add(cursor_.position(), count)); }

  struct Placement {
    std::uint64_t offset;
    std::uint64_t size;  // 0 for a type whose layout is not known
  };

  std::span<const std::uint8_t> bytes_;
  ByteCursor cursor_;
  GgufContents contents_;
  std::uint64_t tensor_count_ = 0;
  std::uint64_t metadata_count_ = 0;
  std::uint64_t alignment_ = kDefaultAlignment;
  std::vector<Placement> placements_;  // one a tensor
};

Status Parser::parse() {
  TRY(header());
  for (std::uint64_t i = 0; i < metadata_count_; ++i) {
    TRY(metadata_entry());
  }
  TRY(index_metadata(contents_));
  TRY(find_alignment());
  for (std::uint64_t i = 0; i < tensor_count_; ++i) {
    TRY(tensor_info());
  }
  TRY(index_tensors(contents_));
  return place_tensors();
}

Status Parser::header() {
  constexpr std::string_view kMagic = "GGUF";
  const std::string_view start = as_text(bytes_.first(std::min(bytes_.size(), kMagic.size())));
  if (!kMagic.starts_with(start)) {
    return {ErrorCode::kModelNotGguf, "The file is not a GGUF model; choose a file that ends in .gguf."};
  }
  std::span<const std::uint8_t> magic;
  if (!cursor_.take(kMagic.size(), magic)) return short_of(kMagic.size() + 20);
  if (!cursor_.read(contents_.version)) return short_of(20);
  const std::uint32_t version = contents_.version;
  if (version != 0 && (version & 0xFFFFu) == 0) {
    return {
        ErrorCode::kModelVersionUnsupported,
        "The model file has its bytes in big-endian order; get the little-endian file of the same model."};
  }
  if (version != 2 && version != 3) {
    return {
        ErrorCode::kModelVersionUnsupported,
        "The model file has GGUF version " + std::to_string(version) +
            ", and this release reads versions 2 and 3; get a file of one of these, or update Emberline."};
  }
  if (!cursor_.read(tensor_count_)) return short_of(16);
  if (!cursor_.read(metadata_count_)) return short_of(8);
  if (tensor_count_ > kMaxEntries || metadata_count_ > kMaxEntries) {
    return {ErrorCode::kModelCorrupt, "The model file claims to hold " + std::to_string(tensor_count_) +
                                          " tensors and " + std::to_string(metadata_count_) +
                                          " metadata entries; it is damaged, download it again."};
  }
  const std::uint64_t least = saturating_add(saturating_multiply(tensor_count_, kMinTensorBytes),
                                             saturating_multiply(metadata_count_, kMinMetadataBytes));
  if (least > cursor_.left()) return short_of(least);
  return {};
}

Status Parser::string(std::uint64_t max_bytes, const char* what, std::string_view& text) {
  std::uint64_t length = 0;
  if (!cursor_.read(length)) return short_of(sizeof(length));
  if (length > max_bytes) return corrupt(what + here() + " has " + std::to_string(length) + " bytes");
  std::span<const std::uint8_t> taken;
  if (!cursor_.take(length, taken)) return short_of(length);
  text = as_text(taken);
  return {};
}

Status Parser::metadata_entry() {
  GgufMetadata entry{};
  TRY(string(kMaxNameBytes, "a metadata key", entry.key));
  std::uint32_t type = 0;
  if (!cursor_.read(type)) return short_of(sizeof(type));
  TRY(value(type, entry.value));
  contents_.metadata.push_back(std::move(entry));
  return {};
}

Status Parser::value(std::uint32_t type, GgufValue& value) {
  value.type = static_cast<GgufType>(type);
  switch (value.type) {
    case GgufType::kU8: return scalar<std::uint8_t, std::uint64_t>(value);
    case GgufType::kI8: return scalar<std::int8_t, std::int64_t>(value);
    case GgufType::kU16: return scalar<std::uint16_t, std::uint64_t>(value);
    case GgufType::kI16: return scalar<std::int16_t, std::int64_t>(value);
    case GgufType::kU32: return scalar<std::uint32_t, std::uint64_t>(value);
    case GgufType::kI32: return scalar<std::int32_t, std::int64_t>(value);
    case GgufType::kU64: return scalar<std::uint64_t, std::uint64_t>(value);
    case GgufType::kI64: return scalar<std::int64_t, std::int64_t>(value);
    case GgufType::kF32: return scalar<float, double>(value);
    case GgufType::kF64: return scalar<double, double>(value);
    case GgufType::kBool: return boolean(value);
    case GgufType::kString:
      return string(kMaxStringBytes, "a metadata string", value.value.emplace<std::string_view>());
    case GgufType::kArray: return array(value.value.emplace<GgufArray>());
  }
  return corrupt("a metadata value" + here() + " has the unknown type " + std::to_string(type));
}

template <typename Stored, typename Kept>
Status Parser::scalar(GgufValue& value) {
  Stored stored{};
  if (!cursor_.read(stored)) return short_of(sizeof(Stored));
  value.value.emplace<Kept>(stored);
  return {};
}

Status Parser::boolean(GgufValue& value) {
  std::uint8_t stored = 0;
  if (!cursor_.read(stored)) return short_of(sizeof(stored));
  if (stored > 1) return corrupt("a metadata boolean" + here() + " is neither 0 nor 1");
  value.value.emplace<bool>(stored == 1);
  return {};
}

Status Parser::array(GgufArray& array) {
  std::uint32_t type = 0;
  if (!cursor_.read(type)) return short_of(sizeof(type) + sizeof(array.count));
  if (!cursor_.read(array.count)) return short_of(sizeof(array.count));
  array.element_type = static_cast<GgufType>(type);

  if (const std::uint64_t size = element_bytes(type); size != 0) {
    const std::uint64_t total = saturating_multiply(array.count, size);
    if (!cursor_.take(total, array.bytes)) return short_of(total);
    if (array.element_type == GgufType::kBool &&
        std::ranges::any_of(array.bytes, [](std::uint8_t byte) { return byte > 1; })) {
      return corrupt("a metadata boolean before byte " + std::to_string(cursor_.position()) +
                     " is neither 0 nor 1");
    }
    return {};
  }
  if (array.element_type == GgufType::kString) {
    const std::uint64_t least = saturating_multiply(array.count, sizeof(std::uint64_t));
    if (least > cursor_.left()) return short_of(least);
    array.strings.reserve(static_cast<std::size_t>(array.count));
    for (std::uint64_t i = 0; i < array.count; ++i) {
      std::string_view text;
      TRY(string(kMaxStringBytes, "a metadata string", text));
      array.strings.push_back(text);
    }
    return {};
  }
  if (array.element_type == GgufType::kArray) {
    const std::size_t begin = cursor_.position();
    TRY(skip_arrays(array.count, 1));
    array.bytes = bytes_.subspan(begin, cursor_.position() - begin);
    return {};
  }
  return corrupt("a metadata array" + here() + " has elements of the unknown type " + std::to_string(type));
}

// Passes over `count` arrays that are elements of an array, checking them as it goes.
Status Parser::skip_arrays(std::uint64_t count, int depth) {
  if (depth > kMaxArrayDepth) return corrupt("metadata arrays" + here() + " are nested too deep");
  const std::uint64_t least = saturating_multiply(count, 4 + 8);
  if (least > cursor_.left()) return short_of(least);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint32_t type = 0;
    std::uint64_t inner_count = 0;
    if (!cursor_.read(type)) return short_of(sizeof(type) + sizeof(inner_count));
    if (!cursor_.read(inner_count)) return short_of(sizeof(inner_count));
    if (const std::uint64_t size = element_bytes(type); size != 0) {
      const std::uint64_t total = saturating_multiply(inner_count, size);
      std::span<const std::uint8_t> skipped;
      if (!cursor_.take(total, skipped)) return short_of(total);
    } else if (static_cast<GgufType>(type) == GgufType::kString) {
      const std::uint64_t least_inner = saturating_multiply(inner_count, sizeof(std::uint64_t));
      if (least_inner > cursor_.left()) return short_of(least_inner);
      for (std::uint64_t j = 0; j < inner_count; ++j) {
        std::string_view skipped;
        TRY(string(kMaxStringBytes, "a metadata string", skipped));
      }
    } else if (static_cast<GgufType>(type) == GgufType::kArray) {
      TRY(skip_arrays(inner_count, depth + 1));
    } else {
      return corrupt("a metadata array" + here() + " has elements of the unknown type " +
                     std::to_string(type));
    }
  }
  return {};
}

// Fills `order` with the positions of `items` sorted by `name_of`; returns an item whose name came before, or
// null.
template <typename Item, typename NameOf>
const Item* sort_by_name(const std::vector<Item>& items, std::vector<std::uint32_t>& order, NameOf name_of) {
  order.resize(items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  const auto name_at = [&](std::uint32_t position) { return name_of(items[position]); };
  std::ranges::sort(order, {}, name_at);
  const auto twin = std::ranges::adjacent_find(order, {}, name_at);
  return twin == order.end() ? nullptr : &items[*twin];
}

Status Parser::find_alignment() {
  for (const GgufMetadata& entry : contents_.metadata) {
    if (entry.key != "general.alignment") continue;
    const std::uint64_t* const stated = std::get_if<std::uint64_t>(&entry.value.value);
    // At least 8: what the tensors' elements need to be read in place.
    if (stated == nullptr || !std::has_single_bit(*stated) || *stated < 8 ||
        *stated > (std::uint64_t{1} << 31)) {
      return corrupt("general.alignment is " + describe(entry.value) + ", not a power of two from 8 on");
    }
    alignment_ = *stated;
  }
  return {};
}

Status Parser::tensor_info() {
  GgufTensor tensor;
  TRY(string(kMaxNameBytes, "a tensor name", tensor.name));
  if (!cursor_.read(tensor.rank)) return short_of(sizeof(tensor.rank));
  if (tensor.rank < 1 || tensor.rank > kMaxRank) {
    return corrupt("the tensor " + quoted(tensor.name) + " has " + std::to_string(tensor.rank) +
                   " dimensions");
  }
  std::uint64_t elements = 1;
  for (std::uint32_t i = 0; i < tensor.rank; ++i) {
    if (!cursor_.read(tensor.shape[i])) return short_of(sizeof(tensor.shape[i]));
    elements = saturating_multiply(elements, tensor.shape[i]);
  }
  Placement placement{};
  if (!cursor_.read(tensor.type_id)) return short_of(sizeof(tensor.type_id) + sizeof(placement.offset));
  if (!cursor_.read(placement.offset)) return short_of(sizeof(placement.offset));

  if (elements == 0) return corrupt("the tensor " + quoted(tensor.name) + " has no elements");
  if (placement.offset % alignment_ != 0)
    return corrupt("the tensor " + quoted(tensor.name) + " is not aligned");
  if (const TensorTypeTraits* const traits = tensor_type_traits(tensor.type_id); traits != nullptr) {
    if (tensor.shape[0] % traits->block_elements != 0) {
      return corrupt("the rows of the tensor " + quoted(tensor.name) + " are not whole blocks of " +
                     traits->name);
    }
    placement.size = saturating_multiply(elements / traits->block_elements, traits->block_bytes);
    if (elements > kMaxFileBytes || placement.size > kMaxFileBytes) {
      return corrupt("the tensor " + quoted(tensor.name) + " has an absurd size");
    }
  }
  if (placement.offset > kMaxFileBytes)
    return corrupt("the tensor " + quoted(tensor.name) + " has an absurd offset");
  contents_.tensors.push_back(tensor);
  placements_.push_back(placement);
  return {};
}

Status Parser::place_tensors() {
  if (contents_.tensors.empty()) return {};
  // Neither sum overflows: positions are below the file's size, the alignment is at most 2^31, offsets and
  // sizes 2^46.
  const std::uint64_t data_begin = (cursor_.position() + alignment_ - 1) / alignment_ * alignment_;
  std::uint64_t data_end = data_begin;
  for (const Placement& placement : placements_) {
    data_end = std::max(data_end, data_begin + placement.offset + placement.size);
  }
  if (data_end > bytes_.size()) return ends_early(data_end);
  for (std::size_t i = 0; i < placements_.size(); ++i) {
    contents_.tensors[i].data = bytes_.subspan(static_cast<std::size_t>(data_begin + placements_[i].offset),
                                               static_cast<std::size_t>(placements_[i].size));
  }
  return {};
}

}  // namespace

Status index_metadata(GgufContents& contents) {
  const GgufMetadata* const twin = sort_by_name(contents.metadata, contents.metadata_by_key,
                                                [](const GgufMetadata& entry) { return entry.key; });
  if (twin != nullptr) return corrupt("the metadata key " + quoted(twin->key) + " occurs twice");
  return {};
}

Status index_tensors(GgufContents& contents) {
  const GgufTensor* const twin = sort_by_name(contents.tensors, contents.tensors_by_name,
                                              [](const GgufTensor& tensor) { return tensor.name; });
  if (twin != nullptr) return corrupt("the tensor name " + quoted(twin->name) + " occurs twice");
  return {};
}

Result<GgufContents> parse_gguf(std::span<const std::uint8_t> bytes) {
  Parser parser(bytes);
  TRY(parser.parse());
  return parser.take_contents();
}

}  // namespace emberline
