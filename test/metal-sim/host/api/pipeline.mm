#include "host/api/pipeline.h"

#include <algorithm>

#include "host/api/binary_archive.h"
#include "host/control/counts.h"
#include "host/control/failures.h"
#include "host/control/injections.h"
#include "host/foundation/strings.h"

using namespace emberline::metal_sim;

// Pipelines have no error domain of their own in the public API; on a Mac errors come from the driver's
// compiler.
static NSErrorDomain const kCompilerErrorDomain = @"CompilerError";

@implementation MTLComputePipelineReflection
@end

@implementation MTLComputePipelineDescriptor
@synthesize label = _label, computeFunction = _computeFunction, binaryArchives = _binaryArchives;
@synthesize threadGroupSizeIsMultipleOfThreadExecutionWidth =
    _threadGroupSizeIsMultipleOfThreadExecutionWidth;
@synthesize maxTotalThreadsPerThreadgroup = _maxTotalThreadsPerThreadgroup;
@synthesize supportIndirectCommandBuffers = _supportIndirectCommandBuffers;

- (void)reset {
  _label = nil;
  _computeFunction = nil;
  _binaryArchives = nil;
  _threadGroupSizeIsMultipleOfThreadExecutionWidth = NO;
  _maxTotalThreadsPerThreadgroup = 0;
  _supportIndirectCommandBuffers = NO;
}
- (id)copyWithZone:(NSZone*)zone {
  MTLComputePipelineDescriptor* made = [[MTLComputePipelineDescriptor alloc] init];
  made.label = _label;
  made.computeFunction = _computeFunction;
  made.binaryArchives = _binaryArchives;
  made.threadGroupSizeIsMultipleOfThreadExecutionWidth = _threadGroupSizeIsMultipleOfThreadExecutionWidth;
  made.maxTotalThreadsPerThreadgroup = _maxTotalThreadsPerThreadgroup;
  made.supportIndirectCommandBuffers = _supportIndirectCommandBuffers;
  return made;
}
@end

@implementation SimulatedPipeline {
  SimulatedDevice* _device;
}

- (id<MTLDevice>)device {
  return _device;
}
- (instancetype)initWithDevice:(SimulatedDevice*)device descriptor:(MTLComputePipelineDescriptor*)descriptor {
  if (!(self = [super init])) return nil;
  _device = device;
  const Pipeline& pipeline = *((SimulatedFunction*)descriptor.computeFunction)->pipeline;
  const KernelInfo& info = pipeline.info();
  code = new PipelineCode(descriptor.label == nil ? info.name : text_of(descriptor.label), pipeline);
  code->owner = (__bridge void*)self;
  maxThreads = std::min<NSUInteger>(info.max_threads, device->machine.max_threads_per_threadgroup);
  if (descriptor.maxTotalThreadsPerThreadgroup != 0) {
    maxThreads = std::min(maxThreads, descriptor.maxTotalThreadsPerThreadgroup);
  }
  threadsAreMultipleOfWidth = descriptor.threadGroupSizeIsMultipleOfThreadExecutionWidth;
  return self;
}
- (void)dealloc {
  if (code == nullptr) return;
  if (code->users == 0) {
    delete code;
  } else {
    report_failure(FailureKind::kLifetime,
                   "the pipeline '" + code->label +
                       "' was deallocated while a command buffer that uses it had not "
                       "completed");
  }
}
- (NSString*)label {
  return make_string(code->label);
}
- (NSUInteger)maxTotalThreadsPerThreadgroup {
  return maxThreads;
}
- (NSUInteger)threadExecutionWidth {
  return kSimdWidth;
}
- (NSUInteger)staticThreadgroupMemoryLength {
  return code->pipeline.info().static_threadgroup_bytes;
}
@end

std::string emberline::metal_sim::archive_key(MTLComputePipelineDescriptor* descriptor) {
  std::string key = ((SimulatedFunction*)descriptor.computeFunction)->key;
  return key + " threads " + std::to_string(descriptor.maxTotalThreadsPerThreadgroup) +
         (descriptor.threadGroupSizeIsMultipleOfThreadExecutionWidth ? " multiple" : "");
}

SimulatedPipeline* emberline::metal_sim::pipeline_from(SimulatedDevice* device,
                                                       MTLComputePipelineDescriptor* descriptor,
                                                       MTLPipelineOption options,
                                                       NSError* __autoreleasing* error) {
  auto* function = (SimulatedFunction*)descriptor.computeFunction;
  if (function == nil) {
    report_failure(FailureKind::kApiUse, "a pipeline descriptor without a function");
    set_error(error, kCompilerErrorDomain, 2, "The pipeline's descriptor has no function.");
    return nil;
  }
  const KernelInfo& info = function->pipeline->info();
  if (operation_fails(Operation::kPipeline, info.name)) {
    set_error(error, kCompilerErrorDomain, 2, "an injected fault");
    return nil;
  }
  if (info.static_threadgroup_bytes > device->machine.max_threadgroup_bytes) {
    set_error(error, kCompilerErrorDomain, 3,
              "'" + info.name + "' needs " + std::to_string(info.static_threadgroup_bytes) +
                  " bytes of threadgroup memory; the device has " +
                  std::to_string(device->machine.max_threadgroup_bytes) + ".");
    return nil;
  }
  const std::string key = archive_key(descriptor);
  bool archived = false;
  for (id<MTLBinaryArchive> archive in descriptor.binaryArchives) {
    archived = archived || [(SimulatedBinaryArchive*)archive holds:key];
  }
  if (!archived && (options & MTLPipelineOptionFailOnBinaryArchiveMiss) != 0) {
    set_error(error, kCompilerErrorDomain, 1, "No binary archive holds the pipeline of '" + info.name + "'.");
    return nil;
  }
  count([archived](Counts& all) { (archived ? all.pipelines_from_archive : all.pipelines_compiled)++; });
  return [[SimulatedPipeline alloc] initWithDevice:device descriptor:descriptor];
}
