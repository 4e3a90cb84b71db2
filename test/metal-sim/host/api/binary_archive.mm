#include "host/api/binary_archive.h"

#include <fstream>
#include <set>
#include <sstream>

#include "host/api/pipeline.h"
#include "host/control/injections.h"
#include "host/foundation/strings.h"

using namespace emberline::metal_sim;

NSErrorDomain const MTLBinaryArchiveDomain = @"MTLBinaryArchiveDomain";

static constexpr const char* kFirstLine = "simulated Metal binary archive";

// Code is compiled for one GPU and one release of the system's compiler: on another it is in the file, and of
// no use.
static std::string target_of(SimulatedDevice* device) {
  const Machine& machine = device->machine;
  return machine.name + " macOS " + std::to_string(machine.macos_major) + "." +
         std::to_string(machine.macos_minor);
}

@implementation MTLBinaryArchiveDescriptor
@synthesize url = _url;
- (id)copyWithZone:(NSZone*)zone {
  MTLBinaryArchiveDescriptor* made = [[MTLBinaryArchiveDescriptor alloc] init];
  made.url = _url;
  return made;
}
@end

@implementation SimulatedBinaryArchive {
  SimulatedDevice* _device;
  NSString* _label;
  std::set<std::string> _entries;  // target, then archive_key
}
@synthesize label = _label;

- (id<MTLDevice>)device {
  return _device;
}
- (instancetype)initWithDevice:(SimulatedDevice*)device {
  if ((self = [super init])) _device = device;
  return self;
}
- (BOOL)holds:(const std::string&)key {
  return _entries.contains(target_of(_device) + " " + key);
}
- (BOOL)addComputePipelineFunctionsWithDescriptor:(MTLComputePipelineDescriptor*)descriptor
                                            error:(NSError**)error {
  auto* function = (SimulatedFunction*)descriptor.computeFunction;
  if (function == nil || operation_fails(Operation::kArchiveAdd, function->pipeline->info().name)) {
    set_error(error, MTLBinaryArchiveDomain, MTLBinaryArchiveErrorCompilationFailure,
              function == nil ? "The pipeline's descriptor has no function." : "an injected fault");
    return NO;
  }
  _entries.insert(target_of(_device) + " " + archive_key(descriptor));
  return YES;
}
- (BOOL)serializeToURL:(NSURL*)url error:(NSError**)error {
  std::string body;
  for (const std::string& entry : _entries) body += entry + "\n";
  std::ofstream file;
  if (!operation_fails(Operation::kArchiveSave)) {
    file.open(text_of(url.path), std::ios::binary);
    file << kFirstLine << ' ' << std::hash<std::string>()(body) << '\n' << body;
    file.close();
  } else {
    file.setstate(std::ios::failbit);
  }
  if (file) return YES;
  set_error(error, MTLBinaryArchiveDomain, MTLBinaryArchiveErrorInternalError,
            "The archive could not be written to " + text_of(url.path) + ".");
  return NO;
}
- (BOOL)read:(const std::string&)path {
  std::ifstream file(path, std::ios::binary);
  std::string first;
  if (!file || !std::getline(file, first)) return NO;
  std::ostringstream rest;
  rest << file.rdbuf();
  const std::string body = rest.str();
  if (first != kFirstLine + (" " + std::to_string(std::hash<std::string>()(body)))) return NO;
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);) _entries.insert(line);
  return YES;
}
@end

SimulatedBinaryArchive* emberline::metal_sim::archive_from(SimulatedDevice* device,
                                                           MTLBinaryArchiveDescriptor* descriptor,
                                                           NSError* __autoreleasing* error) {
  SimulatedBinaryArchive* archive = [[SimulatedBinaryArchive alloc] initWithDevice:device];
  const bool good = !operation_fails(Operation::kArchiveOpen) &&
                    (descriptor.url == nil || [archive read:text_of(descriptor.url.path)]);
  if (good) return archive;
  set_error(error, MTLBinaryArchiveDomain, MTLBinaryArchiveErrorInvalidFile,
            "The file " + text_of(descriptor.url.path) + " is no binary archive.");
  return nil;
}
