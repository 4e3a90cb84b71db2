// Binary archives: what is kept of compiling, and what becomes of a damaged file.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/host_gpu.h"

using namespace emberline::metal_sim;

namespace {

std::string archive_path() {
  return std::filesystem::temp_directory_path() / ("emberline-archive-" + std::to_string(getpid()));
}

class Archives : public SimulatedGpu {
 protected:
  void TearDown() override {
    std::filesystem::remove(archive_path());
    SimulatedGpu::TearDown();
  }
  NSURL* url() { return [NSURL fileURLWithPath:[NSString stringWithUTF8String:archive_path().c_str()]]; }
  id<MTLBinaryArchive> open(bool existing, NSError** error) {
    MTLBinaryArchiveDescriptor* descriptor = [[MTLBinaryArchiveDescriptor alloc] init];
    if (existing) descriptor.url = url();
    return [device newBinaryArchiveWithDescriptor:descriptor error:error];
  }
  MTLComputePipelineDescriptor* descriptor(std::uint32_t step, id<MTLBinaryArchive> archive) {
    MTLFunctionConstantValues* values = [[MTLFunctionConstantValues alloc] init];
    const bool bias = false;
    [values setConstantValue:&bias type:MTLDataTypeBool atIndex:0];
    [values setConstantValue:&step type:MTLDataTypeUInt withName:@"step"];
    MTLComputePipelineDescriptor* made = [[MTLComputePipelineDescriptor alloc] init];
    made.computeFunction = [library newFunctionWithName:@"optional_bias" constantValues:values error:nullptr];
    if (archive != nil) made.binaryArchives = @[ archive ];
    return made;
  }
  id<MTLComputePipelineState> make(MTLComputePipelineDescriptor* descriptor,
                                   MTLPipelineOption option = MTLPipelineOptionNone) {
    NSError* error = nil;
    return [device newComputePipelineStateWithDescriptor:descriptor
                                                 options:option
                                              reflection:nil
                                                   error:&error];
  }
  void save(std::uint32_t step) {
    id<MTLBinaryArchive> archive = open(false, nullptr);
    ASSERT_TRUE([archive addComputePipelineFunctionsWithDescriptor:descriptor(step, nil) error:nullptr]);
    ASSERT_TRUE([archive serializeToURL:url() error:nullptr]);
  }
};

}  // namespace

TEST_F(Archives, SaveCompilingOfWhatTheyHold) {
  @autoreleasepool {
    save(3);
    id<MTLBinaryArchive> archive = open(true, nullptr);
    ASSERT_NE(archive, nil);
    EXPECT_NE(make(descriptor(3, archive)), nil);
    EXPECT_EQ(counts().pipelines_from_archive, 1u);
    EXPECT_EQ(counts().pipelines_compiled, 0u);
    EXPECT_NE(make(descriptor(4, archive)), nil);  // another constant, another pipeline
    EXPECT_EQ(counts().pipelines_compiled, 1u);
    EXPECT_EQ(make(descriptor(4, archive), MTLPipelineOptionFailOnBinaryArchiveMiss), nil);
    EXPECT_NE(make(descriptor(3, archive), MTLPipelineOptionFailOnBinaryArchiveMiss), nil);
  }
}

TEST_F(Archives, AreOfNoUseToAnotherChip) {
  @autoreleasepool {
    save(3);
    Machine other;
    other.name = "Apple M2";
    set_machine(other);
    make_device();
    EXPECT_EQ(make(descriptor(3, open(true, nullptr)), MTLPipelineOptionFailOnBinaryArchiveMiss), nil);
  }
}

TEST_F(Archives, RefuseAFileThatIsMissingOrDamaged) {
  @autoreleasepool {
    NSError* error = nil;
    EXPECT_EQ(open(true, &error), nil);
    EXPECT_EQ(error.code, (NSInteger)MTLBinaryArchiveErrorInvalidFile);
    save(3);
    std::fstream file(archive_path(), std::ios::in | std::ios::out);
    file.seekp(-3, std::ios::end);
    file << 'x';
    file.close();
    EXPECT_EQ(open(true, &error), nil);
    EXPECT_TRUE([error.domain isEqualToString:MTLBinaryArchiveDomain]);
    save(3);
    EXPECT_NE(open(true, &error), nil);
  }
}

TEST_F(Archives, FailWhereATestSaysSo) {
  @autoreleasepool {
    inject(OperationFault{.operation = Operation::kArchiveAdd});
    inject(OperationFault{.operation = Operation::kArchiveSave});
    id<MTLBinaryArchive> archive = open(false, nullptr);
    NSError* error = nil;
    EXPECT_FALSE([archive addComputePipelineFunctionsWithDescriptor:descriptor(1, nil) error:&error]);
    EXPECT_TRUE([archive addComputePipelineFunctionsWithDescriptor:descriptor(1, nil) error:&error]);
    EXPECT_FALSE([archive serializeToURL:url() error:&error]);
    EXPECT_FALSE(std::filesystem::exists(archive_path()));
    EXPECT_TRUE([archive serializeToURL:url() error:&error]);
    NSURL* nowhere = [NSURL fileURLWithPath:@"/nowhere/archive"];
    EXPECT_FALSE([archive serializeToURL:nowhere error:&error]);
    inject(OperationFault{.operation = Operation::kArchiveOpen});
    EXPECT_EQ(open(true, &error), nil);
  }
}
