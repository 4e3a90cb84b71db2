#include "host/api/blit_encoder.h"

#include "host/api/buffer.h"
#include "host/control/failures.h"

using namespace emberline::metal_sim;

@implementation SimulatedBlitEncoder
- (void)append:(CommandKind)kind arguments:(NSUInteger)arguments value:(uint8_t)value {
  Command command;
  command.kind = kind;
  command.fill_value = value;
  command.first_argument = static_cast<std::uint32_t>(list->arguments.size() - arguments);
  command.arguments = static_cast<std::uint32_t>(arguments);
  list->commands.push_back(command);
  list->commands.push_back(barrier());
}
- (BOOL)append:(id<MTLBuffer>)buffer offset:(NSUInteger)offset bytes:(NSUInteger)bytes {
  Memory* memory = memory_of(buffer);
  if (offset > memory->bytes || bytes > memory->bytes - offset) {
    report_failure(FailureKind::kApiUse, "a copy or fill reaches behind the end of '" + memory->label + "'");
    return NO;
  }
  list->use(*memory);
  list->arguments.push_back({.memory = memory, .offset = offset, .bytes = bytes});
  return YES;
}
- (void)copyFromBuffer:(id<MTLBuffer>)sourceBuffer
          sourceOffset:(NSUInteger)sourceOffset
              toBuffer:(id<MTLBuffer>)destinationBuffer
     destinationOffset:(NSUInteger)destinationOffset
                  size:(NSUInteger)size {
  if (list_for(self, "copyFromBuffer") == nullptr) return;
  // Offsets and sizes are multiples of 4 bytes, and the ranges of one buffer do not overlap.
  if ((sourceOffset | destinationOffset | size) % 4 != 0) {
    report_failure(FailureKind::kApiUse, "a copy whose offsets or size are not multiples of 4");
    return;
  }
  if (sourceBuffer == destinationBuffer && sourceOffset < destinationOffset + size &&
      destinationOffset < sourceOffset + size) {
    report_failure(FailureKind::kApiUse, "a copy whose ranges overlap");
    return;
  }
  if ([self append:sourceBuffer offset:sourceOffset bytes:size] && [self append:destinationBuffer
                                                                         offset:destinationOffset
                                                                          bytes:size]) {
    [self append:CommandKind::kCopy arguments:2 value:0];
  }
}
- (void)fillBuffer:(id<MTLBuffer>)buffer range:(NSRange)range value:(uint8_t)value {
  if (list_for(self, "fillBuffer") == nullptr) return;
  if ((range.location | range.length) % 4 != 0) {
    report_failure(FailureKind::kApiUse, "a fill whose range is not of multiples of 4");
    return;
  }
  if ([self append:buffer offset:range.location bytes:range.length]) {
    [self append:CommandKind::kFill arguments:1 value:value];
  }
}
@end
