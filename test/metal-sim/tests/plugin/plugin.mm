// A shared object with the simulated Mac in it, as the addon of the simulator's build is one.
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

// Doubles 21 with the kernel `twice` of the library at `path`; negative when that fails.
extern "C" __attribute__((visibility("default"))) int double_21(const char* path) {
  @autoreleasepool {
    id<MTLDevice> device = MTLCreateSystemDefaultDevice();
    id<MTLLibrary> library =
        [device newLibraryWithURL:[NSURL fileURLWithPath:[NSString stringWithUTF8String:path]] error:nullptr];
    id<MTLFunction> function = [library newFunctionWithName:@"twice"];
    if (function == nil) return -1;
    id<MTLBuffer> number = [device newBufferWithLength:4 options:MTLResourceStorageModeShared];
    auto* value = static_cast<unsigned*>(number.contents);
    *value = 21;
    id<MTLCommandBuffer> commands = [[device newCommandQueue] commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder setComputePipelineState:[device newComputePipelineStateWithFunction:function error:nullptr]];
    [encoder setBuffer:number offset:0 atIndex:0];
    [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
    [encoder endEncoding];
    [commands commit];
    [commands waitUntilCompleted];
    return commands.status == MTLCommandBufferStatusCompleted ? static_cast<int>(*value) : -2;
  }
}
