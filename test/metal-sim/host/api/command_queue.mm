#include "host/api/command_queue.h"

#include <vector>

#include "host/api/command_buffer.h"
#include "host/api/residency_set.h"
#include "host/control/failures.h"
#include "host/control/injections.h"

using namespace emberline::metal_sim;

@implementation MTLCommandBufferDescriptor
@synthesize retainedReferences = _retainedReferences, errorOptions = _errorOptions;
- (instancetype)init {
  if ((self = [super init])) _retainedReferences = YES;
  return self;
}
- (id)copyWithZone:(NSZone*)zone {
  MTLCommandBufferDescriptor* made = [[MTLCommandBufferDescriptor alloc] init];
  made.retainedReferences = _retainedReferences;
  made.errorOptions = _errorOptions;
  return made;
}
@end

@implementation SimulatedCommandQueue {
  SimulatedDevice* _device;
  NSString* _label;
  NSUInteger _maxCommandBufferCount;
  std::vector<id<MTLResidencySet>> _residencySets;
}
@synthesize label = _label;

- (id<MTLDevice>)device {
  return _device;
}
- (instancetype)initWithDevice:(SimulatedDevice*)device maxCommandBufferCount:(NSUInteger)count {
  if ((self = [super init])) {
    _device = device;
    _maxCommandBufferCount = count;
  }
  return self;
}
- (void)addResidencySet:(id<MTLResidencySet>)residencySet {
  _residencySets.push_back(residencySet);
  [(SimulatedResidencySet*)residencySet attach];
}
- (void)removeResidencySet:(id<MTLResidencySet>)residencySet {
  [(SimulatedResidencySet*)residencySet detach];
  std::erase(_residencySets, residencySet);
}
- (id<MTLCommandBuffer>)commandBuffer {
  return [self commandBufferThatRetains:YES errorOptions:MTLCommandBufferErrorOptionNone];
}
- (id<MTLCommandBuffer>)commandBufferWithUnretainedReferences {
  return [self commandBufferThatRetains:NO errorOptions:MTLCommandBufferErrorOptionNone];
}
- (id<MTLCommandBuffer>)commandBufferWithDescriptor:(MTLCommandBufferDescriptor*)descriptor {
  return [self commandBufferThatRetains:descriptor.retainedReferences errorOptions:descriptor.errorOptions];
}
- (id<MTLCommandBuffer>)commandBufferThatRetains:(BOOL)retains
                                    errorOptions:(MTLCommandBufferErrorOption)options {
  if (operation_fails(Operation::kCommandBuffer)) return nil;
  // A queue has room for so many command buffers that have not completed; asking for more blocks until one
  // has.
  if (uncompleted >= _maxCommandBufferCount) {
    report_failure(FailureKind::kDeadlock,
                   "a command buffer beyond the number that a queue holds uncompleted");
    return nil;
  }
  return [[SimulatedCommandBuffer alloc] initWithQueue:self retains:retains errorOptions:options];
}
@end
