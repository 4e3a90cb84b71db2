#include "host/api/library.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "host/control/counts.h"
#include "host/control/injections.h"
#include "host/foundation/strings.h"

using namespace emberline::metal_sim;

NSErrorDomain const MTLLibraryErrorDomain = @"MTLLibraryErrorDomain";

static std::optional<ConstantType> constant_type(MTLDataType type) {
  switch (type) {
    case MTLDataTypeBool: return ConstantType::kBool;
    case MTLDataTypeChar: return ConstantType::kChar;
    case MTLDataTypeUChar: return ConstantType::kUChar;
    case MTLDataTypeShort: return ConstantType::kShort;
    case MTLDataTypeUShort: return ConstantType::kUShort;
    case MTLDataTypeInt: return ConstantType::kInt;
    case MTLDataTypeUInt: return ConstantType::kUInt;
    case MTLDataTypeHalf: return ConstantType::kHalf;
    case MTLDataTypeFloat: return ConstantType::kFloat;
    case MTLDataTypeNone: break;
  }
  return std::nullopt;
}

// What was given, for the constants that the library declares; Metal ignores values for others.
static std::vector<ConstantValue> declared_values(const Library& library,
                                                  const std::vector<GivenConstant>& given) {
  std::vector<ConstantValue> values;
  for (const ConstantInfo& declared : library.constants()) {
    const auto last = std::find_if(given.rbegin(), given.rend(), [&](const GivenConstant& one) {
      return one.name.empty() ? one.index == declared.index : one.name == declared.name;
    });
    if (last == given.rend()) continue;
    values.push_back({declared.index, *constant_type(last->type), last->bits});
  }
  return values;
}

@implementation SimulatedFunction {
  SimulatedDevice* _device;
  NSString* _label;
}
@synthesize label = _label;

- (id<MTLDevice>)device {
  return _device;
}
- (instancetype)initWithDevice:(SimulatedDevice*)device
                      pipeline:(const Pipeline&)made
                           key:(std::string)madeKey {
  if ((self = [super init])) {
    _device = device;
    pipeline = new Pipeline(made);
    key = std::move(madeKey);
  }
  return self;
}
- (void)dealloc {
  delete pipeline;
}
- (MTLFunctionType)functionType {
  return MTLFunctionTypeKernel;
}
- (NSString*)name {
  return make_string(pipeline->info().name);
}
@end

@implementation SimulatedLibrary {
  SimulatedDevice* _device;
  NSString* _label;
  std::optional<Library> _library;
  std::uint64_t _identity;
}
@synthesize label = _label;

- (id<MTLDevice>)device {
  return _device;
}
- (instancetype)initWithDevice:(SimulatedDevice*)device
                       library:(const Library&)library
                      identity:(std::uint64_t)identity {
  if ((self = [super init])) {
    _device = device;
    _library = library;
    _identity = identity;
  }
  return self;
}
- (NSArray*)functionNames {
  NSMutableArray* names = [NSMutableArray array];
  for (const KernelInfo& kernel : _library->kernels()) [names addObject:make_string(kernel.name)];
  return names;
}
- (id<MTLFunction>)newFunctionWithName:(NSString*)functionName {
  return [self functionNamed:text_of(functionName) constants:{} error:nullptr];
}
- (id<MTLFunction>)newFunctionWithName:(NSString*)name
                        constantValues:(MTLFunctionConstantValues*)constantValues
                                 error:(NSError**)error {
  return [self functionNamed:text_of(name) constants:constantValues->given error:error];
}
- (id<MTLFunction>)functionNamed:(const std::string&)name
                       constants:(const std::vector<GivenConstant>&)given
                           error:(NSError**)error NS_RETURNS_RETAINED {
  if (operation_fails(Operation::kFunction, name)) {
    set_error(error, MTLLibraryErrorDomain, MTLLibraryErrorInternal, "an injected fault");
    return nil;
  }
  if (_library->find(name) == nullptr) {
    set_error(error, MTLLibraryErrorDomain, MTLLibraryErrorFunctionNotFound,
              "There is no function '" + name + "' in the library.");
    return nil;
  }
  const auto values = declared_values(*_library, given);
  const auto made = make(*_library, name, values);
  if (!made.ok()) {
    set_error(error, MTLLibraryErrorDomain, MTLLibraryErrorCompileFailure, made.error().message());
    return nil;
  }
  std::ostringstream key;
  key << std::hex << _identity << ' ' << name;
  for (const ConstantValue& value : values) key << ' ' << value.index << '=' << value.bits;
  return [[SimulatedFunction alloc] initWithDevice:_device pipeline:made.value() key:key.str()];
}
@end

SimulatedLibrary* emberline::metal_sim::library_from_source(SimulatedDevice* device, NSString* source,
                                                            MTLCompileOptions* options,
                                                            NSError* __autoreleasing* error) {
  if (operation_fails(Operation::kLibrary)) {
    set_error(error, MTLLibraryErrorDomain, MTLLibraryErrorInternal, "an injected fault");
    return nil;
  }
  std::string text;
  for (NSString* name in options.preprocessorMacros) {
    text += "#define " + text_of(name) + " " + text_of(options.preprocessorMacros[name].description) + "\n";
  }
  text += text_of(source);
  count([&](Counts& all) {
    all.compilations.push_back({options == nil || options.fastMathEnabled, options.languageVersion});
  });
  CompileOptions how;
  how.checked = device->machine.checked_kernels;
  const auto library = compile(text, how);
  if (!library.ok()) {
    set_error(error, MTLLibraryErrorDomain, MTLLibraryErrorCompileFailure, library.error().message());
    return nil;
  }
  return [[SimulatedLibrary alloc] initWithDevice:device
                                          library:library.value()
                                         identity:std::hash<std::string>()(text)];
}

SimulatedLibrary* emberline::metal_sim::library_from_file(SimulatedDevice* device, const std::string& path,
                                                          NSError* __autoreleasing* error) {
  if (operation_fails(Operation::kLibrary)) {
    set_error(error, MTLLibraryErrorDomain, MTLLibraryErrorInternal, "an injected fault");
    return nil;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    set_error(error, MTLLibraryErrorDomain, MTLLibraryErrorFileNotFound,
              "There is no library at " + path + ".");
    return nil;
  }
  std::ostringstream bytes;
  bytes << file.rdbuf();
  // The dynamic loader takes a name without a slash for one of its own folders'.
  const auto library = Library::open(std::filesystem::absolute(path).string());
  if (!library.ok()) {
    set_error(error, MTLLibraryErrorDomain, MTLLibraryErrorInternal, library.error().message());
    return nil;
  }
  count([](Counts& all) { all.libraries_opened++; });
  return [[SimulatedLibrary alloc] initWithDevice:device
                                          library:library.value()
                                         identity:std::hash<std::string>()(bytes.str())];
}
