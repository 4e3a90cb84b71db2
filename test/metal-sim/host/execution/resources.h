// Memory and kernels as command buffers see them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/simulator.h"

namespace emberline::metal_sim {

// What a command buffer can use. It counts those that do: from the first command that names it until the
// command buffer has completed, or was thrown away.
struct Resource {
  void* owner = nullptr;  // the Objective-C object it belongs to
  std::string label;
  std::atomic<std::int64_t> users = 0;
  std::atomic<std::uint64_t> last_list = 0;  // the CommandList that counted itself last
};

struct Memory : Resource {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

struct PipelineCode : Resource {
  PipelineCode(std::string label_text, Pipeline made);
  Pipeline pipeline;
  // The parameters that are there under the function constants of the pipeline.
  std::vector<BufferParameter> buffers;
};

}  // namespace emberline::metal_sim
