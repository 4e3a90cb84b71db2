// What buffers have in common, and the options they are made with.
#pragma once

#include <Metal/MTLAllocation.h>
#include <Metal/MTLTypes.h>

@protocol MTLDevice;

NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(NSUInteger, MTLCPUCacheMode) {
  MTLCPUCacheModeDefaultCache = 0,
  MTLCPUCacheModeWriteCombined = 1,
};

typedef NS_ENUM(NSUInteger, MTLStorageMode) {
  MTLStorageModeShared = 0,
  MTLStorageModeManaged = 1,
  MTLStorageModePrivate = 2,
  MTLStorageModeMemoryless = 3,
};

typedef NS_ENUM(NSUInteger, MTLHazardTrackingMode) {
  MTLHazardTrackingModeDefault = 0,
  MTLHazardTrackingModeUntracked = 1,
  MTLHazardTrackingModeTracked = 2,
};

typedef NS_OPTIONS(NSUInteger, MTLResourceOptions) {
  MTLResourceCPUCacheModeDefaultCache = MTLCPUCacheModeDefaultCache,
  MTLResourceCPUCacheModeWriteCombined = MTLCPUCacheModeWriteCombined,
  MTLResourceStorageModeShared = MTLStorageModeShared << 4,
  MTLResourceStorageModeManaged = MTLStorageModeManaged << 4,
  MTLResourceStorageModePrivate = MTLStorageModePrivate << 4,
  MTLResourceHazardTrackingModeDefault = MTLHazardTrackingModeDefault << 8,
  MTLResourceHazardTrackingModeUntracked = MTLHazardTrackingModeUntracked << 8,
  MTLResourceHazardTrackingModeTracked = MTLHazardTrackingModeTracked << 8,
};

@protocol MTLResource <MTLAllocation>
@property(nullable, copy, atomic) NSString* label;
@property(readonly) id<MTLDevice> device;
@property(readonly) MTLCPUCacheMode cpuCacheMode;
@property(readonly) MTLStorageMode storageMode;
@property(readonly) MTLHazardTrackingMode hazardTrackingMode;
@property(readonly) MTLResourceOptions resourceOptions;
@end

NS_ASSUME_NONNULL_END
