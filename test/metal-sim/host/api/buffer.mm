#include "host/api/buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include "host/control/counts.h"
#include "host/control/failures.h"
#include "host/foundation/strings.h"

using namespace emberline::metal_sim;

static std::size_t mapped_bytes(std::size_t length) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (length + page - 1) / page * page;
}

@implementation SimulatedBuffer {
  SimulatedDevice* _device;
  MTLResourceOptions _options;
  BOOL _owned;
  BufferDeallocator _deallocator;
}
@synthesize resourceOptions = _options;

- (id<MTLDevice>)device {
  return _device;
}
- (instancetype)initWithDevice:(SimulatedDevice*)device
                        length:(NSUInteger)length
                       options:(MTLResourceOptions)options {
  if (!(self = [super init])) return nil;
  const auto guard = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes = mapped_bytes(length);
  void* pages = mmap(nullptr, bytes + guard, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return nil;
  mprotect(static_cast<std::byte*>(pages) + bytes, guard, PROT_NONE);
  _owned = YES;
  [self takeDevice:device pointer:pages length:length options:options];
  return self;
}

- (instancetype)initWithDevice:(SimulatedDevice*)device
                       wrapped:(void*)pointer
                        length:(NSUInteger)length
                       options:(MTLResourceOptions)options
                   deallocator:(BufferDeallocator)deallocator {
  if (!(self = [super init])) return nil;
  _deallocator = [deallocator copy];
  [self takeDevice:device pointer:pointer length:length options:options];
  return self;
}

- (void)takeDevice:(SimulatedDevice*)device
           pointer:(void*)pointer
            length:(NSUInteger)length
           options:(MTLResourceOptions)options {
  _device = device;
  _options = options;
  memory = new Memory;
  memory->owner = (__bridge void*)self;
  memory->data = static_cast<std::byte*>(pointer);
  memory->bytes = length;
  device->allocated += length;
}

- (void)dealloc {
  if (memory == nullptr) return;
  _device->allocated -= memory->bytes;
  // A resource has to outlive the command buffers that use it; one with retained references sees to that.
  if (memory->users != 0) {
    report_failure(FailureKind::kLifetime,
                   "the buffer '" + memory->label +
                       "' was deallocated while a command buffer that uses it had not "
                       "completed");
    return;  // its memory is left alone: the GPU still works on it
  }
  if (_owned)
    munmap(memory->data, mapped_bytes(memory->bytes) + static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  if (_deallocator != nil) _deallocator(memory->data, memory->bytes);
  delete memory;
}

- (NSString*)label {
  return memory->label.empty() ? nil : make_string(memory->label);
}
- (void)setLabel:(NSString*)label {
  memory->label = text_of(label);
}
- (NSUInteger)length {
  return memory->bytes;
}
- (NSUInteger)allocatedSize {
  return mapped_bytes(memory->bytes);
}
- (uint64_t)gpuAddress {
  return reinterpret_cast<std::uint64_t>(memory->data);
}
- (MTLCPUCacheMode)cpuCacheMode {
  return (MTLCPUCacheMode)(_options & 0xf);
}
- (MTLStorageMode)storageMode {
  return (MTLStorageMode)((_options >> 4) & 0xf);
}
- (MTLHazardTrackingMode)hazardTrackingMode {
  return (MTLHazardTrackingMode)((_options >> 8) & 0x3);
}
- (void*)contents {
  // The host has no business with private memory, and may look at shared memory at any time: that what it
  // sees is of use is up to the program. Tests can count the calls that come while the GPU is at work.
  if (self.storageMode == MTLStorageModePrivate) {
    report_failure(FailureKind::kApiUse, "contents of the private buffer '" + memory->label + "'");
    return nullptr;
  }
  if (memory->users != 0) count([](Counts& all) { all.contents_in_flight++; });
  return memory->data;
}
- (void)didModifyRange:(NSRange)range {
  // For managed memory, which Apple's own GPUs do not have.
  if (self.storageMode != MTLStorageModeManaged) {
    report_failure(FailureKind::kApiUse, "didModifyRange of a buffer whose storage mode is not managed");
  }
}
@end
