// Strings made at run time. The two kinds of literal that clang writes are in string_literals.mm.
#import <Foundation/Foundation.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "host/foundation/strings.h"

using namespace emberline::metal_sim;

@interface HeapString : NSString {
 @public
  std::string text;
}
@end

@implementation HeapString
- (const char*)UTF8String {
  return text.c_str();
}
@end

NSString* emberline::metal_sim::make_string(std::string text) {
  HeapString* made = [[HeapString alloc] init];
  made->text = std::move(text);
  return made;
}

std::string emberline::metal_sim::text_of(NSString* string) {
  return string == nil ? std::string() : std::string(string.UTF8String);
}

// NSString itself has no members: its methods are written on UTF8String alone.
@implementation NSString
+ (instancetype)string {
  return make_string("");
}
+ (instancetype)stringWithString:(NSString*)string {
  return make_string(text_of(string));
}
+ (instancetype)stringWithUTF8String:(const char*)nullTerminatedCString {
  return make_string(nullTerminatedCString);
}
+ (instancetype)stringWithFormat:(NSString*)format, ... {
  va_list arguments;
  va_start(arguments, format);
  std::string text = formatted(format, arguments);
  va_end(arguments);
  return make_string(std::move(text));
}
+ (instancetype)stringWithContentsOfFile:(NSString*)path
                                encoding:(NSStringEncoding)enc
                                   error:(NSError**)error {
  std::ifstream file(path.UTF8String, std::ios::binary);
  if (!file) {
    set_error(error, NSPOSIXErrorDomain, errno, "The file " + text_of(path) + " could not be read.");
    return nil;
  }
  std::ostringstream text;
  text << file.rdbuf();
  return make_string(text.str());
}
- (instancetype)init {
  return [super init];
}
- (instancetype)initWithUTF8String:(const char*)nullTerminatedCString {
  self = make_string(nullTerminatedCString);
  return self;
}
- (instancetype)initWithBytes:(const void*)bytes length:(NSUInteger)len encoding:(NSStringEncoding)encoding {
  self = make_string(std::string(static_cast<const char*>(bytes), len));
  return self;
}
- (instancetype)initWithBytesNoCopy:(void*)bytes
                             length:(NSUInteger)len
                           encoding:(NSStringEncoding)encoding
                       freeWhenDone:(BOOL)freeBuffer {
  self = make_string(std::string(static_cast<const char*>(bytes), len));
  if (freeBuffer) std::free(bytes);
  return self;
}
- (id)copyWithZone:(NSZone*)zone {
  return self;  // strings here never change
}
- (const char*)UTF8String {
  return "";
}
- (NSUInteger)length {
  // A character takes one UTF-16 unit for each byte that begins a UTF-8 sequence, and two for one of four
  // bytes.
  NSUInteger units = 0;
  for (const char* at = self.UTF8String; *at != 0; at++) {
    const auto byte = static_cast<unsigned char>(*at);
    units += (byte & 0xc0) != 0x80 ? (byte >= 0xf0 ? 2 : 1) : 0;
  }
  return units;
}
- (NSUInteger)lengthOfBytesUsingEncoding:(NSStringEncoding)enc {
  return std::strlen(self.UTF8String);
}
- (NSUInteger)hash {
  return std::hash<std::string>()(text_of(self));
}
- (BOOL)isEqual:(id)object {
  return [object isKindOfClass:[NSString class]] && [self isEqualToString:object];
}
- (BOOL)isEqualToString:(NSString*)aString {
  return std::strcmp(self.UTF8String, aString.UTF8String) == 0;
}
- (BOOL)hasPrefix:(NSString*)str {
  return text_of(self).starts_with(text_of(str));
}
- (BOOL)hasSuffix:(NSString*)str {
  return text_of(self).ends_with(text_of(str));
}
- (BOOL)containsString:(NSString*)str {
  return text_of(self).find(text_of(str)) != std::string::npos;
}
- (NSString*)stringByAppendingString:(NSString*)aString {
  return make_string(text_of(self) + text_of(aString));
}
- (NSString*)stringByAppendingPathComponent:(NSString*)str {
  std::string path = text_of(self);
  if (!path.empty() && path.back() != '/') path += '/';
  return make_string(path + text_of(str));
}
- (NSString*)lastPathComponent {
  const std::string path = text_of(self);
  return make_string(path.substr(path.rfind('/') + 1));
}
- (NSString*)stringByDeletingLastPathComponent {
  const std::string path = text_of(self);
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return make_string("");
  return make_string(slash == 0 ? "/" : path.substr(0, slash));
}
- (NSString*)description {
  return self;
}
@end
