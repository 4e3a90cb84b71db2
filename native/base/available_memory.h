// How much memory a process may still take.
#pragma once

#include <cstdint>
#include <optional>

namespace emberline {

// Bytes that are free, or hold what can be read from its file again, so that nothing has to be swapped for
// them; on Linux no more than the limits of the process's control groups leave. Memory that files take which
// the process maps counts as available. None where the system does not say.
std::optional<std::uint64_t> available_memory();

}  // namespace emberline
