#include "host/api/residency_set.h"

#include <set>

#include "host/control/counts.h"
#include "host/control/failures.h"

using namespace emberline::metal_sim;

@implementation MTLResidencySetDescriptor
@synthesize label = _label, initialCapacity = _initialCapacity;
- (id)copyWithZone:(NSZone*)zone {
  MTLResidencySetDescriptor* made = [[MTLResidencySetDescriptor alloc] init];
  made.label = _label;
  made.initialCapacity = _initialCapacity;
  return made;
}
@end

@implementation SimulatedResidencySet {
  SimulatedDevice* _device;
  NSString* _label;
  std::set<id<MTLAllocation>> _added;  // as of now
  std::set<id<MTLAllocation>> _committed, _resident;
  BOOL _requested;
  NSUInteger _queues;
}
@synthesize label = _label;

- (instancetype)initWithDevice:(SimulatedDevice*)device descriptor:(MTLResidencySetDescriptor*)descriptor {
  if ((self = [super init])) {
    _device = device;
    _label = [descriptor.label copy];
  }
  return self;
}
- (void)dealloc {
  if (_requested) report_failure(FailureKind::kLifetime, "a residency set went before endResidency");
  [self settle:{}];
}
- (id<MTLDevice>)device {
  return _device;
}
- (NSUInteger)allocationCount {
  return _added.size();
}
- (void)attach {
  ++_queues;
}
- (void)detach {
  if (_queues == 0)
    return report_failure(FailureKind::kApiUse, "removeResidencySet of a set that was not added");
  --_queues;
}
- (void)addAllocation:(id<MTLAllocation>)allocation {
  _added.insert(allocation);
}
- (void)removeAllocation:(id<MTLAllocation>)allocation {
  _added.erase(allocation);
}
- (BOOL)containsAllocation:(id<MTLAllocation>)anAllocation {
  return _added.contains(anAllocation);
}
// What was added and removed takes effect; what is removed is let go of, and what is added waits for a
// request.
- (void)commit {
  _committed = _added;
  std::set<id<MTLAllocation>> kept;
  for (id<MTLAllocation> allocation : _resident) {
    if (_committed.contains(allocation)) kept.insert(allocation);
  }
  [self settle:std::move(kept)];
}
- (void)requestResidency {
  count([](Counts& all) { ++all.residency_requests; });
  _requested = YES;
  [self settle:_committed];
}
- (void)endResidency {
  _requested = NO;
  [self settle:{}];
}
- (void)settle:(std::set<id<MTLAllocation>>)resident {
  const auto before = static_cast<std::int64_t>(_resident.size());
  _resident = std::move(resident);
  const auto change = static_cast<std::int64_t>(_resident.size()) - before;
  change_resident(change);
}
@end
