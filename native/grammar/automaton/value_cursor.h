// Follows texts along a JSON value, whose members may come in any order.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace emberline::grammar {

// A value that was written. Scalars are equal where their texts are. Precondition: what begins with a brace
// or a bracket is JSON; whatever else is one scalar.
class ValueTree {
 public:
  struct Node {
    char open = 0;                        // '{', '[', or 0: a scalar
    std::string text;                     // of a scalar
    std::vector<std::string> keys;        // of an object, with quotes; ascending
    std::vector<std::uint32_t> children;  // values of the keys, or items
  };

  explicit ValueTree(std::string_view text);

  const Node& node(std::uint32_t index) const { return nodes_[index]; }  // 0: the whole
  // The same for equal values: without whitespace, keys ascending.
  std::string normalised() const;
  std::size_t bytes() const { return bytes_; }

 private:
  std::uint32_t read(std::string_view text, std::size_t& at);
  void write(std::uint32_t index, std::string& out) const;

  std::vector<Node> nodes_;
  std::size_t bytes_ = 0;
};

// Where a text stands that may still become a spelling of a value: whitespace does not matter, nor does the
// order of members. All cursors that followed one text are at the same place of it.
class ValueCursor {
 public:
  // `tree` outlives this.
  explicit ValueCursor(const ValueTree& tree) : tree_(&tree) {}

  // False where the text is none of the value's any more; the cursor is of no use then.
  bool step(unsigned char byte);
  bool step(std::string_view bytes);
  // Adds the bytes for which step() is true.
  void add_next(std::bitset<256>& bytes) const;
  // The text is a whole spelling.
  bool at_end() const;

  bool of_scalar() const { return node(0).open == 0; }
  bool in_key() const { return place_ == Place::kKey; }
  // Right behind a key, or a part of one where in_key(): with quotes.
  bool behind_key() const { return place_ == Place::kColon; }
  std::string_view key() const;
  // Right behind a key: adds the smaller ones that did not come yet.
  void add_smaller_keys(std::vector<std::string_view>& keys) const;
  // Inside a scalar or a key, where a byte of whitespace is none of the layout's.
  bool in_text() const;
  std::size_t depth() const { return open_.size(); }  // of open objects and arrays

 private:
  enum class Place : std::uint8_t { kValue, kScalar, kFirst, kItem, kKey, kColon, kNext, kEnd };
  struct Open {
    std::uint32_t node;
    std::uint32_t child;  // the one that is being read, or was read last
    std::uint32_t left;   // children to come
    std::uint32_t used;   // of an object: where its keys begin in used_
  };

  const ValueTree::Node& node(std::uint32_t index) const { return tree_->node(index); }
  bool begin_value(unsigned char byte);
  bool begin_item(unsigned char byte);
  bool step_key(unsigned char byte);
  bool ended();
  bool close(unsigned char byte);
  // The first key that may still come and begins with `front`; kNoKey where there is none.
  static constexpr std::uint32_t kNoKey = 0xFFFFFFFFu;
  std::uint32_t unused_key(const std::string& front) const;

  const ValueTree* tree_;
  Place place_ = Place::kValue;
  std::uint32_t at_ = 0;      // kValue, kScalar: the node
  std::uint32_t length_ = 0;  // bytes of the scalar or key
  std::vector<Open> open_;
  std::vector<std::uint8_t> used_;  // keys of open objects that came
};

}  // namespace emberline::grammar
