// Stand-in for Apple's Foundation on Linux: the types and macros every other header uses. These headers
// declare nothing that Apple's public API does not, so that code which compiles here names nothing that is
// missing on a Mac. What they leave out is simply not used by the engine.
#pragma once

#ifndef __OBJC__
#error "Foundation is an Objective-C interface: compile this file as Objective-C++."
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef bool BOOL;  // as on 64-bit Arm
#define YES __objc_yes
#define NO __objc_no
#define nil nullptr
#define Nil nullptr

typedef long NSInteger;
typedef unsigned long NSUInteger;
typedef double NSTimeInterval;
typedef double CFTimeInterval;

#define FOUNDATION_EXPORT extern "C" __attribute__((visibility("default")))
#define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define NS_RETURNS_RETAINED __attribute__((ns_returns_retained))
#define NS_RETURNS_INNER_POINTER __attribute__((objc_returns_inner_pointer))
#define NS_UNAVAILABLE __attribute__((unavailable))
#define NS_FORMAT_FUNCTION(format, first)
#define NS_REQUIRES_NIL_TERMINATION __attribute__((sentinel(0, 1)))

// As Apple's macros expand in C++: an enumeration is a type of its own, options are an integer type and
// loose constants of it, so that they can be combined with | without a cast.
#define NS_ENUM(type, name) \
  enum name : type name;    \
  enum name : type
#define NS_ERROR_ENUM(domain, name) NS_ENUM(NSInteger, name)
#define NS_OPTIONS(type, name) \
  type name;                   \
  enum : name

#define NSNotFound ((NSInteger)(NSUIntegerMax >> 1))
#define NSUIntegerMax (~(NSUInteger)0)

typedef struct {
  NSUInteger location;
  NSUInteger length;
} NSRange;

static inline NSRange NSMakeRange(NSUInteger location, NSUInteger length) {
  NSRange range = {location, length};
  return range;
}

@class NSString;

NS_ASSUME_NONNULL_BEGIN

// Writes one line to standard error. %@ and the conversions of printf for int, long, double and char*.
FOUNDATION_EXPORT void NSLog(NSString* format, ...);

NS_ASSUME_NONNULL_END
