// Stand-in for Apple's Metal on Linux, see MTLDevice.h.
#pragma once

#include <Metal/MTLAllocation.h>
#include <Metal/MTLBinaryArchive.h>
#include <Metal/MTLBlitCommandEncoder.h>
#include <Metal/MTLBuffer.h>
#include <Metal/MTLCommandBuffer.h>
#include <Metal/MTLCommandEncoder.h>
#include <Metal/MTLCommandQueue.h>
#include <Metal/MTLComputeCommandEncoder.h>
#include <Metal/MTLComputePipeline.h>
#include <Metal/MTLDevice.h>
#include <Metal/MTLEvent.h>
#include <Metal/MTLLibrary.h>
#include <Metal/MTLResidencySet.h>
#include <Metal/MTLResource.h>
#include <Metal/MTLTypes.h>
