// Strings, held as UTF-8.
#pragma once

#include <Foundation/NSObject.h>

@class NSArray<ObjectType>, NSError;

NS_ASSUME_NONNULL_BEGIN

typedef NSUInteger NSStringEncoding;
enum : NSStringEncoding { NSASCIIStringEncoding = 1, NSUTF8StringEncoding = 4 };

@interface NSString : NSObject <NSCopying>
@property(readonly) NSUInteger length;  // in UTF-16 code units
@property(nullable, readonly) const char* UTF8String NS_RETURNS_INNER_POINTER;
@property(readonly, copy) NSString* lastPathComponent;
@property(readonly, copy) NSString* stringByDeletingLastPathComponent;

+ (instancetype)string;
+ (instancetype)stringWithString:(NSString*)string;
+ (nullable instancetype)stringWithUTF8String:(const char*)nullTerminatedCString;
+ (instancetype)stringWithFormat:(NSString*)format, ...;
+ (nullable instancetype)stringWithContentsOfFile:(NSString*)path
                                         encoding:(NSStringEncoding)enc
                                            error:(NSError* _Nullable* _Nullable)error;
- (instancetype)init;
- (nullable instancetype)initWithUTF8String:(const char*)nullTerminatedCString;
- (nullable instancetype)initWithBytes:(const void*)bytes
                                length:(NSUInteger)len
                              encoding:(NSStringEncoding)encoding;
- (nullable instancetype)initWithBytesNoCopy:(void*)bytes
                                      length:(NSUInteger)len
                                    encoding:(NSStringEncoding)encoding
                                freeWhenDone:(BOOL)freeBuffer;

- (BOOL)isEqualToString:(NSString*)aString;
- (BOOL)hasPrefix:(NSString*)str;
- (BOOL)hasSuffix:(NSString*)str;
- (BOOL)containsString:(NSString*)str;
- (NSString*)stringByAppendingString:(NSString*)aString;
- (NSString*)stringByAppendingPathComponent:(NSString*)str;
- (NSUInteger)lengthOfBytesUsingEncoding:(NSStringEncoding)enc;
@end

NS_ASSUME_NONNULL_END
