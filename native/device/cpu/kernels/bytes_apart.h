// How far rows of bytes lie apart: `Integers::Apart` (packed_products.h) of a set whose compiler finds good
// addresses by itself. In an unnamed namespace, as all that kernel sets are made of.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emberline {
namespace {

struct BytesApart {
  explicit BytesApart(std::size_t bytes) : width(bytes) {}
  const std::int8_t* row(const std::int8_t* first, std::size_t r) const { return first + r * width; }

  std::size_t width;
};

}  // namespace
}  // namespace emberline
