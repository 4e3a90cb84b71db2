// What the host may do with the memory of a device: INVALID_ARGUMENT for anything else.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "device/checks/command_check.h"

namespace emberline {

Status check_read(const BufferExtent& buffer, std::uint64_t offset, std::uint64_t bytes);
Status check_write(const BufferExtent& buffer, std::uint64_t offset, std::uint64_t bytes);
Status check_copy(const BufferExtents& buffers, const Binding& from, const Binding& to, std::uint64_t bytes);

}  // namespace emberline
