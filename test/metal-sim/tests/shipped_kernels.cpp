#include <cstdlib>

#include "kernel_launch.h"

namespace emberline::metal_sim {
namespace {

Library open_library(const char* path) {
  Result<Library> library = Library::open(path);
  if (!library.ok()) {
    ADD_FAILURE() << library.error().message();
    std::abort();
  }
  return library.value();
}

}  // namespace

const Library& shipped_kernels(bool checked) {
  if (checked) {
    static const Library library = open_library(EMBERLINE_KERNELS_CHECKED);
    return library;
  }
  static const Library library = open_library(EMBERLINE_KERNELS_UNCHECKED);
  return library;
}

}  // namespace emberline::metal_sim
