#include "device/checks/host_access.h"

#include "base/try.h"

namespace emberline {

Status check_read(const BufferExtent& buffer, std::uint64_t offset, std::uint64_t bytes) {
  if (buffer.most == 0) return Status(ErrorCode::kInvalidArgument, "There is no such device buffer.");
  if (offset > buffer.usable || bytes > buffer.usable - offset) {
    return Status(ErrorCode::kInvalidArgument, "The range lies outside the device buffer.");
  }
  return Status();
}

Status check_write(const BufferExtent& buffer, std::uint64_t offset, std::uint64_t bytes) {
  if (buffer.matrices) return Status(ErrorCode::kInvalidArgument, "The device buffer is read-only.");
  return check_read(buffer, offset, bytes);
}

Status check_copy(const BufferExtents& buffers, const Binding& from, const Binding& to, std::uint64_t bytes) {
  TRY(check_read(buffers.extent(from.buffer), from.offset, bytes));
  TRY(check_write(buffers.extent(to.buffer), to.offset, bytes));
  const bool apart = from.buffer != to.buffer || from.offset + bytes <= to.offset ||
                     to.offset + bytes <= from.offset || bytes == 0;
  if (!apart) return Status(ErrorCode::kInvalidArgument, "The ranges of a copy overlap.");
  return Status();
}

}  // namespace emberline
