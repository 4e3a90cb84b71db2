// A compiled library in this process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/executor/memory_monitor.h"
#include "kernels/executor/scheduler.h"
#include "kernels/manifest.h"

namespace emberline::metal_sim {

struct LoadedConstant {
  void* value = nullptr;
  bool* set = nullptr;
};

struct LoadedLibrary {
  LoadedLibrary() = default;
  LoadedLibrary(const LoadedLibrary&) = delete;
  LoadedLibrary& operator=(const LoadedLibrary&) = delete;
  ~LoadedLibrary();

  // The threadgroup arrays that kernel `index` declares.
  std::vector<ThreadgroupArray> threadgroup_arrays(std::uint32_t kernel) const;
  // Gives the library's function constants the values of a pipeline; the others become unset.
  void set_constants(const std::vector<ConstantValue>& values);

  void* handle = nullptr;
  Manifest manifest;
  std::vector<KernelEntry> entries;        // by kernel
  std::vector<LoadedConstant> constants;   // by constant
  std::vector<LibraryVariable> variables;  // by address, ascending
};

}  // namespace emberline::metal_sim
