// The memory in which a nucleus is found: owned by the caller and reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/status.h"

namespace emberline {

class NucleusSpace {
 public:
  // Makes room for a vocabulary; keeps what is there when it is larger.
  void reserve(std::size_t vocabulary);

  // Tokens under consideration, [vocabulary + kCollectSlack], and their masses.
  std::uint64_t* keys() { return keys_[0].get(); }
  std::uint64_t* masses() { return masses_[0].get(); }
  // Of the same sizes: where a part of them is put aside.
  std::uint64_t* other_keys() { return keys_[1].get(); }
  std::uint64_t* other_masses() { return masses_[1].get(); }

 private:
  // Memory that is never written to takes no place: most nuclei are small.
  std::unique_ptr<std::uint64_t[]> keys_[2], masses_[2];
  std::size_t vocabulary_ = 0;
};

}  // namespace emberline
