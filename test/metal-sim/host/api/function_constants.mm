// MTLFunctionConstantValues, and what compiling is told.
#include <cstring>

#include "host/api/library.h"
#include "host/control/failures.h"
#include "host/foundation/strings.h"

using namespace emberline::metal_sim;

static std::size_t bytes_of(MTLDataType type) {
  switch (type) {
    case MTLDataTypeBool:
    case MTLDataTypeChar:
    case MTLDataTypeUChar: return 1;
    case MTLDataTypeHalf:
    case MTLDataTypeShort:
    case MTLDataTypeUShort: return 2;
    case MTLDataTypeFloat:
    case MTLDataTypeInt:
    case MTLDataTypeUInt: return 4;
    case MTLDataTypeNone: break;
  }
  return 0;
}

@implementation MTLFunctionConstantValues
- (void)give:(GivenConstant)constant value:(const void*)value {
  if (bytes_of(constant.type) == 0) {
    report_failure(FailureKind::kApiUse, "a function constant of a type that constants cannot have");
    return;
  }
  std::memcpy(&constant.bits, value, bytes_of(constant.type));
  given.push_back(constant);  // a later value replaces an earlier one when a function is made
}
- (void)setConstantValue:(const void*)value type:(MTLDataType)type atIndex:(NSUInteger)index {
  [self give:{"", (std::uint32_t)index, type, 0} value:value];
}
- (void)setConstantValue:(const void*)value type:(MTLDataType)type withName:(NSString*)name {
  [self give:{text_of(name), 0, type, 0} value:value];
}
- (void)reset {
  given.clear();
}
- (id)copyWithZone:(NSZone*)zone {
  MTLFunctionConstantValues* made = [[MTLFunctionConstantValues alloc] init];
  made->given = given;
  return made;
}
@end

@implementation MTLCompileOptions
@synthesize preprocessorMacros = _preprocessorMacros, fastMathEnabled = _fastMathEnabled,
            mathMode = _mathMode;
@synthesize languageVersion = _languageVersion, preserveInvariance = _preserveInvariance;
@synthesize optimizationLevel = _optimizationLevel;

- (instancetype)init {
  if ((self = [super init])) {
    _fastMathEnabled = YES;
    _mathMode = MTLMathModeFast;
  }
  return self;
}
// One switch under two names.
- (void)setFastMathEnabled:(BOOL)fastMathEnabled {
  _fastMathEnabled = fastMathEnabled;
  _mathMode = fastMathEnabled ? MTLMathModeFast : MTLMathModeSafe;
}
- (void)setMathMode:(MTLMathMode)mathMode {
  _mathMode = mathMode;
  _fastMathEnabled = mathMode == MTLMathModeFast;
}
- (id)copyWithZone:(NSZone*)zone {
  MTLCompileOptions* made = [[MTLCompileOptions alloc] init];
  made.preprocessorMacros = _preprocessorMacros;
  made.mathMode = _mathMode;
  made.languageVersion = _languageVersion;
  made.preserveInvariance = _preserveInvariance;
  made.optimizationLevel = _optimizationLevel;
  return made;
}
@end
