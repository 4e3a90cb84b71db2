// Bytes.
#pragma once

#include <Foundation/NSString.h>

@class NSURL;

NS_ASSUME_NONNULL_BEGIN

typedef NS_OPTIONS(NSUInteger, NSDataWritingOptions) { NSDataWritingAtomic = 1UL << 0 };

@interface NSData : NSObject <NSCopying>
@property(readonly) NSUInteger length;
@property(readonly) const void* bytes NS_RETURNS_INNER_POINTER;
+ (instancetype)dataWithBytes:(nullable const void*)bytes length:(NSUInteger)length;
+ (nullable instancetype)dataWithContentsOfFile:(NSString*)path;
+ (nullable instancetype)dataWithContentsOfURL:(NSURL*)url;
- (BOOL)writeToFile:(NSString*)path
            options:(NSDataWritingOptions)writeOptionsMask
              error:(NSError* _Nullable* _Nullable)errorPtr;
@end

NS_ASSUME_NONNULL_END
