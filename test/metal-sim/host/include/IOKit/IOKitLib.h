// Stand-in for Apple's IOKit on Linux: a registry of one entry, "AGXAccelerator", with one property,
// "gpu-core-count", as the simulated machine says.
#pragma once

#include <CoreFoundation/CoreFoundation.h>

typedef unsigned int mach_port_t;
typedef mach_port_t io_object_t;
typedef io_object_t io_registry_entry_t;
typedef io_object_t io_service_t;
typedef unsigned int IOOptionBits;
typedef int kern_return_t;

#define IO_OBJECT_NULL ((io_object_t)0)
#define KERN_SUCCESS 0
#define kIOMainPortDefault ((mach_port_t)0)

// Returns +1; IOServiceGetMatchingService consumes it.
FOUNDATION_EXPORT CFMutableDictionaryRef IOServiceMatching(const char* name);
FOUNDATION_EXPORT io_service_t IOServiceGetMatchingService(mach_port_t mainPort, CFDictionaryRef matching);
FOUNDATION_EXPORT CFTypeRef IORegistryEntryCreateCFProperty(io_registry_entry_t entry, CFStringRef key,
                                                            CFAllocatorRef allocator, IOOptionBits options);
FOUNDATION_EXPORT kern_return_t IOObjectRelease(io_object_t object);
