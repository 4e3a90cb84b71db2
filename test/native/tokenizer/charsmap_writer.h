// Writes maps as SentencePiece's files hold them, by first fit: slow, and small enough to be read.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace emberline::testing {

class CharsmapWriter {
 public:
  explicit CharsmapWriter(const std::map<std::string, std::string>& map) {
    for (const auto& [from, to] : map) {
      offsets_[from] = static_cast<std::uint32_t>(strings_.size());
      strings_ += to + '\0';
    }
    units_.assign(1, 0);
    taken_.insert(0);
    place(0, "");
  }

  std::vector<std::uint8_t> bytes() const {
    std::vector<std::uint8_t> out;
    append(out, static_cast<std::uint32_t>(4 * units_.size()));
    for (const std::uint32_t unit : units_) append(out, unit);
    out.insert(out.end(), strings_.begin(), strings_.end());
    return out;
  }

 private:
  // Gives the node of the strings that begin with `prefix` its children.
  void place(std::uint32_t node, const std::string& prefix) {
    std::set<std::uint8_t> labels;  // 0: the string itself
    for (const auto& [from, offset] : offsets_) {
      if (!from.starts_with(prefix)) continue;
      labels.insert(from == prefix ? 0 : static_cast<std::uint8_t>(from[prefix.size()]));
    }
    std::uint32_t base = 1;
    // A base of its own, too: a node's children are told from others' by their labels alone.
    const auto fits = [&] {
      if (bases_.count(base) > 0) return false;
      for (const std::uint8_t label : labels)
        if (taken_.count(base ^ label) > 0) return false;
      return true;
    };
    while (!fits()) ++base;
    bases_.insert(base);
    units_[node] |= (node ^ base) << 10 | (labels.count(0) > 0 ? 0x100u : 0u);
    for (const std::uint8_t label : labels) {
      const std::uint32_t child = base ^ label;
      taken_.insert(child);
      if (child >= units_.size()) units_.resize(child + 1);
      units_[child] = label == 0 ? 0x80000000u | offsets_[prefix] : label;
    }
    for (const std::uint8_t label : labels)
      if (label != 0) place(base ^ label, prefix + static_cast<char>(label));
  }
  static void append(std::vector<std::uint8_t>& out, std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::uint8_t>(value >> shift));
  }

  std::map<std::string, std::uint32_t> offsets_;
  std::string strings_;
  std::vector<std::uint32_t> units_;
  std::set<std::uint32_t> taken_, bases_;
};

}  // namespace emberline::testing
