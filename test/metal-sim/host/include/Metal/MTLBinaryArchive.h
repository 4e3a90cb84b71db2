// Compiled pipelines kept in a file for the next start.
#pragma once

#include <Metal/MTLComputePipeline.h>

NS_ASSUME_NONNULL_BEGIN

FOUNDATION_EXPORT NSErrorDomain const MTLBinaryArchiveDomain;

typedef NS_ENUM(NSUInteger, MTLBinaryArchiveError) {
  MTLBinaryArchiveErrorNone = 0,
  MTLBinaryArchiveErrorInvalidFile = 1,
  MTLBinaryArchiveErrorUnexpectedElement = 2,
  MTLBinaryArchiveErrorCompilationFailure = 3,
  MTLBinaryArchiveErrorInternalError = 4,
};

@interface MTLBinaryArchiveDescriptor : NSObject <NSCopying>
@property(nullable, readwrite, nonatomic, copy) NSURL* url;  // nil: a new, empty archive
@end

@protocol MTLBinaryArchive <NSObject>
@property(nullable, copy, atomic) NSString* label;
@property(readonly) id<MTLDevice> device;
- (BOOL)addComputePipelineFunctionsWithDescriptor:(MTLComputePipelineDescriptor*)descriptor
                                            error:(NSError* _Nullable* _Nullable)error;
- (BOOL)serializeToURL:(NSURL*)url error:(NSError* _Nullable* _Nullable)error;
@end

NS_ASSUME_NONNULL_END
