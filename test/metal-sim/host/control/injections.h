// Faults of the machine, made to order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace emberline::metal_sim {

// The values of MTLCommandBufferError.
enum class SubmissionError : int {
  kInternal = 1,
  kTimeout = 2,
  kPageFault = 3,
  kAccessRevoked = 4,
  kNotPermitted = 7,
  kOutOfMemory = 8,
  kInvalidResource = 9,
  kDeviceRemoved = 11,  // the device is lost: every later submission fails the same way
  kStackOverflow = 12,
};

// A command buffer that ends in an error, after `skip` others have gone well.
struct SubmissionFault {
  SubmissionError error = SubmissionError::kInternal;
  std::uint64_t skip = 0;
  std::uint64_t after_dispatches = 0;  // of it that still run
};
void inject(const SubmissionFault& fault);

enum class Operation {
  kBuffer,         // newBufferWithLength, newBufferWithBytes: nil, as when memory is short
  kWrapBuffer,     // newBufferWithBytesNoCopy
  kQueue,          // newCommandQueue
  kCommandBuffer,  // commandBuffer and its kin
  kLibrary,        // newLibraryWithSource, newLibraryWithURL
  kFunction,       // newFunctionWithName
  kPipeline,       // newComputePipelineState
  kArchiveOpen,    // newBinaryArchiveWithDescriptor
  kArchiveAdd,     // addComputePipelineFunctionsWithDescriptor
  kArchiveSave,    // serializeToURL
  kResidencySet,   // newResidencySetWithDescriptor
};

// An operation that fails with nil, or NO, and an error, `times` times, after `skip` have gone well.
struct OperationFault {
  Operation operation = Operation::kBuffer;
  std::string kernel;  // for kFunction, kPipeline and kArchiveAdd: of this kernel alone; empty: any
  std::uint64_t skip = 0;
  std::uint64_t times = 1;
};
void inject(const OperationFault& fault);

void clear_injections();  // the device is no longer lost, either

// -- for the stand-ins
bool operation_fails(Operation operation, const std::string& kernel = {});
// Of the submission that starts now.
std::optional<SubmissionFault> submission_fault();

}  // namespace emberline::metal_sim
