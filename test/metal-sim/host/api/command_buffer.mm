#include "host/api/command_buffer.h"

#include <thread>
#include <vector>

#include "host/api/blit_encoder.h"
#include "host/api/compute_encoder.h"
#include "host/api/events.h"
#include "host/control/failures.h"
#include "host/control/schedule.h"
#include "host/foundation/strings.h"

using namespace emberline::metal_sim;

NSErrorDomain const MTLCommandBufferErrorDomain = @"MTLCommandBufferErrorDomain";

@implementation SimulatedCommandBuffer {
  SimulatedCommandQueue* _queue;
  NSString* _label;
  BOOL _retains;
  MTLCommandBufferErrorOption _errorOptions;
  std::vector<MTLCommandBufferHandler> _scheduledHandlers, _completedHandlers;
  NSUInteger _debugGroups;
}
@synthesize label = _label;
@synthesize errorOptions = _errorOptions;

- (instancetype)initWithQueue:(SimulatedCommandQueue*)queue
                      retains:(BOOL)retains
                 errorOptions:(MTLCommandBufferErrorOption)options {
  if (!(self = [super init])) return nil;
  _queue = queue;
  _retains = retains;
  _errorOptions = options;
  submission = std::make_shared<Submission>();
  submission->list = queue->queue.take_list();
  submission->list->retains = retains;
  queue->uncompleted++;
  return self;
}
- (void)dealloc {
  if (submission == nullptr || submission->number != 0) return;
  _queue->queue.give_back(std::move(submission->list));
  _queue->uncompleted--;
}

- (BOOL)isCommitted {
  return submission->number != 0;
}
// A committed command buffer takes no more commands or handlers.
- (BOOL)mayStill:(const char*)what {
  if (!self.isCommitted) return YES;
  report_failure(FailureKind::kApiUse, std::string(what) + " after the command buffer was committed");
  return NO;
}
- (CommandList&)list {
  return *submission->list;
}

- (id<MTLDevice>)device {
  return _queue.device;
}
- (id<MTLCommandQueue>)commandQueue {
  return _queue;
}
- (BOOL)retainedReferences {
  return _retains;
}
- (MTLCommandBufferStatus)status {
  return (MTLCommandBufferStatus)submission->status.load();
}
- (NSError*)error {
  if (submission->status != SubmissionStatus::kError) return nil;
  const ExecutionOutcome& outcome = submission->outcome;
  return make_error(MTLCommandBufferErrorDomain, static_cast<NSInteger>(*outcome.error), outcome.sentence);
}
// Known when the command buffer has completed, zero before.
- (BOOL)isOver {
  return submission->status >= SubmissionStatus::kCompleted;
}
- (CFTimeInterval)GPUStartTime {
  return self.isOver ? submission->gpu_start : 0;
}
- (CFTimeInterval)GPUEndTime {
  return self.isOver ? submission->gpu_end : 0;
}

- (void)commit {
  if (![self mayStill:"commit"]) return;
  // All encoders have to have ended.
  if (encoderOpen) {
    report_failure(FailureKind::kApiUse, "commit while an encoder has not ended");
    return;
  }
  // Under way it keeps itself and its queue alive.
  submission->scheduled = [self] {
    @autoreleasepool {
      for (MTLCommandBufferHandler handler : self->_scheduledHandlers) handler(self);
      self->_scheduledHandlers.clear();
    }
  };
  submission->completed = [self] {
    @autoreleasepool {
      self->_queue->uncompleted--;
      for (MTLCommandBufferHandler handler : self->_completedHandlers) handler(self);
      self->_completedHandlers.clear();
    }
  };
  _queue->queue.commit(submission);
}

- (void)waitUntilScheduled {
  if (!self.isCommitted) {
    report_failure(FailureKind::kDeadlock, "waitUntilScheduled before commit never returns");
    return;
  }
  while (submission->status < SubmissionStatus::kScheduled && schedule().execution == Execution::kWorker) {
    std::this_thread::yield();
  }
}
- (void)waitUntilCompleted {
  if (!self.isCommitted) {
    report_failure(FailureKind::kDeadlock, "waitUntilCompleted before commit never returns");
    return;
  }
  _queue->queue.wait(*submission);
}
- (void)addScheduledHandler:(MTLCommandBufferHandler)block {
  if ([self mayStill:"addScheduledHandler"]) _scheduledHandlers.push_back([block copy]);
}
- (void)addCompletedHandler:(MTLCommandBufferHandler)block {
  if ([self mayStill:"addCompletedHandler"]) _completedHandlers.push_back([block copy]);
}

// One encoder at a time writes into a command buffer. What it encodes comes after all before it.
- (BOOL)openEncoder {
  if (![self mayStill:"a new encoder"]) return NO;
  if (encoderOpen) {
    report_failure(FailureKind::kApiUse, "a new encoder while another of the command buffer has not ended");
    return NO;
  }
  encoderOpen = YES;
  CommandList& list = self.list;
  list.commands.push_back(barrier());
  list.encoders++;
  return YES;
}
- (id<MTLComputeCommandEncoder>)computeCommandEncoder {
  return [self computeCommandEncoderWithDispatchType:MTLDispatchTypeSerial];
}
- (id<MTLComputeCommandEncoder>)computeCommandEncoderWithDispatchType:(MTLDispatchType)dispatchType {
  return [self openEncoder] ? [[SimulatedComputeEncoder alloc] initWithCommandBuffer:self type:dispatchType]
                            : nil;
}
- (id<MTLBlitCommandEncoder>)blitCommandEncoder {
  return [self openEncoder] ? [[SimulatedBlitEncoder alloc] initWithCommandBuffer:self] : nil;
}

- (void)encode:(CommandKind)kind event:(id<MTLEvent>)event value:(uint64_t)value {
  if (encoderOpen) {
    report_failure(FailureKind::kApiUse, "an event encoded while an encoder has not ended");
    return;
  }
  Command command;
  command.kind = kind;
  command.event = &((SimulatedEvent*)event)->state;
  command.value = value;
  self.list.commands.push_back(command);
}
- (void)encodeSignalEvent:(id<MTLEvent>)event value:(uint64_t)value {
  if ([self mayStill:"encodeSignalEvent"]) [self encode:CommandKind::kSignal event:event value:value];
}
- (void)encodeWaitForEvent:(id<MTLEvent>)event value:(uint64_t)value {
  if ([self mayStill:"encodeWaitForEvent"]) [self encode:CommandKind::kWait event:event value:value];
}
- (void)pushDebugGroup:(NSString*)string {
  _debugGroups++;
}
- (void)popDebugGroup {
  if (_debugGroups == 0) {
    report_failure(FailureKind::kApiUse, "popDebugGroup without a group");
  } else {
    _debugGroups--;
  }
}
@end
