// Stand-in for Apple's CoreFoundation on Linux: what reading one number of the IO registry takes. Its objects
// are Foundation's, as on a Mac.
#pragma once

#include <Foundation/NSObjCRuntime.h>
#include <Foundation/NSString.h>

typedef long CFIndex;
typedef unsigned long CFTypeID;
typedef unsigned char Boolean;
typedef const void* CFTypeRef;
typedef const struct __CFAllocator* CFAllocatorRef;
typedef const struct __attribute__((objc_bridge(NSString))) __CFString* CFStringRef;
typedef const struct __attribute__((objc_bridge(NSNumber))) __CFNumber* CFNumberRef;
typedef struct __attribute__((objc_bridge_mutable(NSMutableDictionary)))
__CFDictionary* CFMutableDictionaryRef;
typedef const struct __attribute__((objc_bridge(NSDictionary))) __CFDictionary* CFDictionaryRef;

typedef NS_ENUM(CFIndex, CFNumberType) {
  kCFNumberSInt32Type = 3,
  kCFNumberSInt64Type = 4,
  kCFNumberIntType = 9,
  kCFNumberLongType = 10,
};

#define kCFAllocatorDefault ((CFAllocatorRef) nullptr)
#define CFSTR(text) ((__bridge CFStringRef) @text)

FOUNDATION_EXPORT void CFRelease(CFTypeRef cf);
FOUNDATION_EXPORT CFTypeRef CFRetain(CFTypeRef cf);
FOUNDATION_EXPORT CFTypeID CFGetTypeID(CFTypeRef cf);
FOUNDATION_EXPORT CFTypeID CFNumberGetTypeID(void);
FOUNDATION_EXPORT Boolean CFNumberGetValue(CFNumberRef number, CFNumberType theType, void* valuePtr);
