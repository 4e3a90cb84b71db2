// What the simulated Mac says of itself: its operating system, and the GPU's entry in the IO registry.
#include "host/control/machine.h"

#import <Foundation/Foundation.h>
#import <IOKit/IOKitLib.h>

#include "host/foundation/strings.h"

using emberline::metal_sim::machine;

@implementation NSProcessInfo
+ (NSProcessInfo*)processInfo {
  return [[NSProcessInfo alloc] init];
}
- (NSOperatingSystemVersion)operatingSystemVersion {
  return {machine().macos_major, machine().macos_minor, 0};
}
- (NSString*)operatingSystemVersionString {
  return [NSString stringWithFormat:@"Version %d.%d", machine().macos_major, machine().macos_minor];
}
- (unsigned long long)physicalMemory {
  return machine().memory_bytes;
}
- (BOOL)isOperatingSystemAtLeastVersion:(NSOperatingSystemVersion)version {
  const NSOperatingSystemVersion own = self.operatingSystemVersion;
  if (own.majorVersion != version.majorVersion) return own.majorVersion > version.majorVersion;
  return own.minorVersion >= version.minorVersion;
}
@end

void CFRelease(CFTypeRef cf) {
  id object = (__bridge_transfer id)cf;
  (void)object;
}
CFTypeRef CFRetain(CFTypeRef cf) {
  return (__bridge_retained CFTypeRef)(__bridge id)cf;
}

CFTypeID CFNumberGetTypeID() {
  return 22;
}
CFTypeID CFGetTypeID(CFTypeRef cf) {
  constexpr CFTypeID kOfAnyOtherClass = 1;
  return [(__bridge id)cf isKindOfClass:[NSNumber class]] ? CFNumberGetTypeID() : kOfAnyOtherClass;
}

Boolean CFNumberGetValue(CFNumberRef number, CFNumberType theType, void* valuePtr) {
  const long long value = ((__bridge NSNumber*)number).longLongValue;
  switch (theType) {
    case kCFNumberSInt32Type:
    case kCFNumberIntType: *static_cast<int*>(valuePtr) = static_cast<int>(value); break;
    case kCFNumberSInt64Type:
    case kCFNumberLongType: *static_cast<long*>(valuePtr) = static_cast<long>(value); break;
    default: return 0;
  }
  return 1;
}

static constexpr io_service_t kAccelerator = 1;

CFMutableDictionaryRef IOServiceMatching(const char* name) {
  @autoreleasepool {
    NSMutableDictionary* matching = [NSMutableDictionary dictionary];
    matching[@"IOProviderClass"] = [NSString stringWithUTF8String:name];
    return (CFMutableDictionaryRef)(__bridge_retained void*)matching;
  }
}

io_service_t IOServiceGetMatchingService(mach_port_t, CFDictionaryRef matching) {
  NSDictionary* wanted = (__bridge_transfer NSDictionary*)matching;
  const bool named = [wanted[@"IOProviderClass"] isEqual:@"AGXAccelerator"];
  return named && machine().has_gpu ? kAccelerator : IO_OBJECT_NULL;
}

CFTypeRef IORegistryEntryCreateCFProperty(io_registry_entry_t entry, CFStringRef key, CFAllocatorRef,
                                          IOOptionBits) {
  const int cores = machine().gpu_cores;
  if (entry != kAccelerator || cores == 0) return nullptr;
  if (![(__bridge NSString*)key isEqualToString:@"gpu-core-count"]) return nullptr;
  @autoreleasepool {
    return (__bridge_retained CFTypeRef)[NSNumber numberWithInt:cores];
  }
}

kern_return_t IOObjectRelease(io_object_t) {
  return KERN_SUCCESS;
}
