// Devices, buffers, libraries and pipelines.
#import <IOKit/IOKitLib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "tests/host_gpu.h"

using namespace emberline::metal_sim;

namespace {

class Machines : public SimulatedMac {};
class Devices : public SimulatedGpu {};

int cores_of_registry() {
  io_service_t service =
      IOServiceGetMatchingService(kIOMainPortDefault, (CFDictionaryRef)IOServiceMatching("AGXAccelerator"));
  if (service == IO_OBJECT_NULL) return -1;
  CFTypeRef count = IORegistryEntryCreateCFProperty(service, CFSTR("gpu-core-count"), kCFAllocatorDefault, 0);
  IOObjectRelease(service);
  if (count == nullptr) return 0;
  int cores = -2;
  if (CFGetTypeID(count) == CFNumberGetTypeID())
    CFNumberGetValue((CFNumberRef)count, kCFNumberIntType, &cores);
  CFRelease(count);
  return cores;
}

}  // namespace

TEST_F(Machines, AreWhatTheTestSays) {
  @autoreleasepool {
    id<MTLDevice> device = MTLCreateSystemDefaultDevice();
    EXPECT_STREQ(device.name.UTF8String, "Apple M4 Pro");
    EXPECT_TRUE([device supportsFamily:MTLGPUFamilyApple9]);
    EXPECT_TRUE([device supportsFamily:MTLGPUFamilyMetal3]);
    EXPECT_EQ(cores_of_registry(), 20);

    Machine m1;
    m1.name = "Apple M1";
    m1.apple_family = 7;
    m1.gpu_cores = 8;
    m1.macos_major = 13;
    set_machine(m1);
    device = MTLCreateSystemDefaultDevice();
    EXPECT_STREQ(device.name.UTF8String, "Apple M1");
    EXPECT_TRUE([device supportsFamily:MTLGPUFamilyApple7]);
    EXPECT_FALSE([device supportsFamily:MTLGPUFamilyApple8]);
    EXPECT_EQ(cores_of_registry(), 8);
    EXPECT_EQ(NSProcessInfo.processInfo.operatingSystemVersion.majorVersion, 13);

    Machine none;
    none.has_gpu = false;
    set_machine(none);
    EXPECT_EQ(MTLCreateSystemDefaultDevice(), nil);
    EXPECT_EQ(cores_of_registry(), -1);
  }
}

TEST_F(Devices, BuffersAreZeroAndEndAtAnUntouchablePage) {
  id<MTLBuffer> buffer = [device newBufferWithLength:100 options:MTLResourceStorageModeShared];
  @autoreleasepool {  // contents keeps the buffer for as long as the pool
    const auto* bytes = static_cast<const char*>(buffer.contents);
    for (int i = 0; i < 100; i++) EXPECT_EQ(bytes[i], 0);
  }
  EXPECT_EQ(buffer.length, 100u);
  EXPECT_EQ(device.currentAllocatedSize, 100u);
  buffer = nil;
  EXPECT_EQ(device.currentAllocatedSize, 0u);
}

TEST_F(Devices, BuffersHaveALeastAndAMostLength) {
  @autoreleasepool {
    EXPECT_EQ([device newBufferWithLength:0 options:MTLResourceStorageModeShared], nil);
    expect_failure(FailureKind::kApiUse, "a buffer of 0 bytes");
    EXPECT_EQ([device newBufferWithLength:device.maxBufferLength + 1 options:MTLResourceStorageModeShared],
              nil);
    expect_failure(FailureKind::kApiUse, "may be");
  }
}

TEST_F(Devices, BuffersAreSharedOrPrivateAndTracked) {
  @autoreleasepool {
    EXPECT_EQ([device newBufferWithLength:4 options:MTLStorageModeMemoryless << 4], nil);
    expect_failure(FailureKind::kApiUse, "memoryless");
    EXPECT_EQ([device newBufferWithLength:4 options:MTLResourceHazardTrackingModeUntracked], nil);
    expect_failure(FailureKind::kApiUse, "hazard tracking");
    id<MTLBuffer> hidden = [device newBufferWithLength:4 options:MTLResourceStorageModePrivate];
    EXPECT_EQ(hidden.contents, nullptr);
    expect_failure(FailureKind::kApiUse, "contents of the private buffer");
    EXPECT_EQ(hidden.storageMode, MTLStorageModePrivate);
  }
}

TEST_F(Devices, MemoryRunsOut) {
  @autoreleasepool {
    Machine small;
    small.memory_bytes = 1 << 20;
    set_machine(small);
    id<MTLDevice> little = MTLCreateSystemDefaultDevice();
    id<MTLBuffer> first = [little newBufferWithLength:900 << 10 options:MTLResourceStorageModeShared];
    EXPECT_NE(first, nil);
    EXPECT_EQ([little newBufferWithLength:200 << 10 options:MTLResourceStorageModeShared], nil);
    first = nil;
    EXPECT_NE([little newBufferWithLength:200 << 10 options:MTLResourceStorageModeShared], nil);
    inject(OperationFault{.operation = Operation::kBuffer, .skip = 1});
    EXPECT_NE([little newBufferWithLength:16 options:MTLResourceStorageModeShared], nil);
    EXPECT_EQ([little newBufferWithLength:16 options:MTLResourceStorageModeShared], nil);
    EXPECT_NE([little newBufferWithLength:16 options:MTLResourceStorageModeShared], nil);
  }
}

TEST_F(Devices, WrapWholePagesAlone) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* pages = mmap(nullptr, 5 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  __block void* given_back = nullptr;
  __block NSUInteger bytes = 0;
  id<MTLBuffer> wrapped = [device newBufferWithBytesNoCopy:pages
                                                    length:4 * page
                                                   options:MTLResourceStorageModeShared
                                               deallocator:^(void* pointer, NSUInteger length) {
                                                 given_back = pointer;
                                                 bytes = length;
                                               }];
  @autoreleasepool {
    EXPECT_EQ(wrapped.contents, pages);
  }
  EXPECT_EQ(given_back, nullptr);
  wrapped = nil;
  EXPECT_EQ(given_back, pages);
  EXPECT_EQ(bytes, 4 * page);

  const auto wrap = [&](std::size_t offset, std::size_t length) {
    return [device newBufferWithBytesNoCopy:static_cast<char*>(pages) + offset
                                     length:length
                                    options:MTLResourceStorageModeShared
                                deallocator:nil];
  };
  EXPECT_EQ(wrap(64, page), nil);
  expect_failure(FailureKind::kApiUse, "not a multiple of 4096");
  EXPECT_EQ(wrap(0, page + 1), nil);
  expect_failure(FailureKind::kApiUse, "not a multiple of 4096");
  // On a Mac pages are larger; of two neighbouring small pages at most one begins such a page.
  Machine mac;
  mac.page_bytes = 16384;
  set_machine(mac);
  const bool first_is_aligned = reinterpret_cast<std::uintptr_t>(pages) % mac.page_bytes == 0;
  EXPECT_EQ(wrap(first_is_aligned ? page : 0, 4 * page), nil);
  expect_failure(FailureKind::kApiUse, "not a multiple of 16384");
  munmap(pages, 5 * page);
}

TEST_F(Devices, RefuseASourceThatIsWrong) {
  @autoreleasepool {
    NSError* error = nil;
    id<MTLLibrary> wrong =
        [device newLibraryWithSource:
                    @"#include <metal_stdlib>\nkernel void k(device float* a [[buffer(0)]]) { a = b; }\n"
                             options:nil
                               error:&error];
    EXPECT_EQ(wrong, nil);
    EXPECT_TRUE([error.domain isEqualToString:MTLLibraryErrorDomain]);
    EXPECT_EQ(error.code, (NSInteger)MTLLibraryErrorCompileFailure);
    EXPECT_TRUE([error.localizedDescription containsString:@"'b'"]) << error.localizedDescription.UTF8String;
    EXPECT_EQ([device newLibraryWithURL:[NSURL fileURLWithPath:@"/nowhere/at.metallib"] error:&error], nil);
    EXPECT_EQ(error.code, (NSInteger)MTLLibraryErrorFileNotFound);
    MTLCompileOptions* options = [[MTLCompileOptions alloc] init];
    options.fastMathEnabled = NO;
    EXPECT_EQ([device newLibraryWithSource:@"?" options:options error:&error], nil);
    ASSERT_EQ(counts().compilations.size(), 2u);
    EXPECT_TRUE(counts().compilations[0].fast_math);  // what Metal does unless told otherwise
    EXPECT_FALSE(counts().compilations[1].fast_math);
  }
}

TEST_F(Devices, PassMacrosToTheCompiler) {
  @autoreleasepool {
    MTLCompileOptions* options = [[MTLCompileOptions alloc] init];
    options.preprocessorMacros = @{@"AMOUNT" : @5};
    NSString* source =
        @"#include <metal_stdlib>\nkernel void k(device uint* a [[buffer(0)]]) { a[0] = AMOUNT; }\n";
    NSError* error = nil;
    EXPECT_EQ([device newLibraryWithSource:source options:nil error:&error], nil);
    EXPECT_NE([device newLibraryWithSource:source options:options error:&error], nil);
  }
}

TEST_F(Devices, NameAFunctionThatIsMissing) {
  @autoreleasepool {
    NSError* error = nil;
    MTLFunctionConstantValues* none = [[MTLFunctionConstantValues alloc] init];
    EXPECT_EQ([library newFunctionWithName:@"absent" constantValues:none error:&error], nil);
    EXPECT_EQ(error.code, (NSInteger)MTLLibraryErrorFunctionNotFound);
    EXPECT_EQ([library newFunctionWithName:@"absent"], nil);
    EXPECT_TRUE([library.functionNames containsObject:@"optional_bias"]);
  }
}

TEST_F(Devices, RefuseAConstantOfAnotherType) {
  @autoreleasepool {
    NSError* error = nil;
    MTLFunctionConstantValues* values = [[MTLFunctionConstantValues alloc] init];
    const float step = 1;
    [values setConstantValue:&step type:MTLDataTypeFloat atIndex:1];
    EXPECT_EQ([library newFunctionWithName:@"optional_bias" constantValues:values error:&error], nil);
    EXPECT_EQ(error.code, (NSInteger)MTLLibraryErrorCompileFailure);
  }
}

TEST_F(Devices, FailWhereATestSaysSo) {
  @autoreleasepool {
    inject(OperationFault{.operation = Operation::kPipeline, .kernel = "twice"});
    inject(OperationFault{.operation = Operation::kLibrary});
    inject(OperationFault{.operation = Operation::kFunction, .kernel = "add"});
    inject(OperationFault{.operation = Operation::kQueue});
    NSError* error = nil;
    EXPECT_NE(pipeline("increase"), nil);
    EXPECT_EQ([device newComputePipelineStateWithFunction:[library newFunctionWithName:@"twice"]
                                                    error:&error],
              nil);
    EXPECT_NE(error, nil);
    EXPECT_NE(pipeline("twice"), nil);
    EXPECT_EQ([device newLibraryWithSource:@"" options:nil error:&error], nil);
    EXPECT_EQ([library newFunctionWithName:@"add"], nil);
    EXPECT_NE([library newFunctionWithName:@"add"], nil);
    EXPECT_EQ([device newCommandQueue], nil);
  }
}
