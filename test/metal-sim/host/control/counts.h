// What the program asked of the GPU, counted exactly.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace emberline::metal_sim {

// Bytes moved between kernels and device memory. Counted in libraries compiled with checks alone.
struct Traffic {
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
};

struct KernelCount {
  std::uint64_t dispatches = 0;        // that ran at least one threadgroup
  std::uint64_t empty_dispatches = 0;  // indirect ones that were given no threadgroup
  std::uint64_t threadgroups = 0;
};

// How a library was compiled from source.
struct Compilation {
  bool fast_math = true;
  std::uint64_t language_version = 0;  // MTLLanguageVersion; 0: not set
};

struct Counts {
  std::uint64_t submissions = 0, waits = 0, encoders = 0, barriers = 0;
  std::uint64_t dispatches = 0, empty_dispatches = 0,
                indirect_dispatches = 0;        // the last are among the first two
  std::uint64_t buffers = 0, buffer_bytes = 0;  // made, with those that wrap memory without a copy
  std::uint64_t wrapped_buffers = 0;
  std::uint64_t residency_requests = 0;
  std::uint64_t contents_in_flight = 0;  // -contents of a buffer that an uncompleted command buffer uses
  std::uint64_t libraries_opened = 0;
  std::uint64_t pipelines_compiled = 0, pipelines_from_archive = 0;
  std::vector<Compilation> compilations;
  std::map<std::string, KernelCount> kernels;  // by the pipeline's label, or the function's name
  // By kernel and label of the buffer; "(bytes)" for setBytes, "(unlabelled)" for a buffer without a label.
  std::map<std::pair<std::string, std::string>, Traffic> traffic;

  // Sum over all kernels.
  Traffic traffic_of(const std::string& buffer_label) const;
};

Counts counts();
// Sets all to zero; a test calls it where what it measures begins.
void clear_counts();

// Allocations that residency sets keep resident now; clear_counts leaves it alone.
std::int64_t resident_allocations();

// -- for the stand-ins
void change_resident(std::int64_t by);
void count(const std::function<void(Counts&)>& change);

}  // namespace emberline::metal_sim
