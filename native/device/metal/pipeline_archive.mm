#include "device/metal/pipeline_archive.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "device/metal/kernel_source.h"

namespace emberline::metal {
namespace {

// FNV-1a, 64 bits (Fowler, Noll, Vo).
class Hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) step(static_cast<unsigned char>(c));
    step(0);
  }
  std::string hex() const {
    char text[17];
    std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(state_));
    return text;
  }

 private:
  void step(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001B3u; }
  std::uint64_t state_ = 0xCBF29CE484222325u;
};

constexpr std::string_view kPrefix = "metal-", kSuffix = ".pipelines";

std::string file_name(id<MTLDevice> device) {
  Hash hash;
  hash.add(kernel_source());
  hash.add(device.name.UTF8String);
  hash.add(NSProcessInfo.processInfo.operatingSystemVersionString.UTF8String);
  return std::string(kPrefix) + hash.hex() + std::string(kSuffix);
}

// Those of other kernels, GPUs and systems are of no more use.
void remove_others(const std::filesystem::path& kept) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(kept.parent_path(), error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    if (name.starts_with(kPrefix) && name.ends_with(kSuffix) && name != kept.filename().string())
      std::filesystem::remove(entry->path(), ignored);
  }
}

NSURL* url_of(const std::string& path) {
  return [NSURL fileURLWithPath:[NSString stringWithUTF8String:path.c_str()]];
}

id<MTLBinaryArchive> open_archive(id<MTLDevice> device, NSURL* url) {
  MTLBinaryArchiveDescriptor* descriptor = [MTLBinaryArchiveDescriptor new];
  descriptor.url = url;
  NSError* error = nil;
  return [device newBinaryArchiveWithDescriptor:descriptor error:&error];
}

}  // namespace

PipelineArchive::PipelineArchive(id<MTLDevice> device, const std::string& folder) : device_(device) {
  std::error_code error;
  if (folder.empty() || (std::filesystem::create_directories(folder, error), error)) return;
  path_ = (std::filesystem::path(folder) / file_name(device)).string();
  if (std::filesystem::exists(path_, error)) archive_ = open_archive(device, url_of(path_));
  from_file_ = archive_ != nil;
  if (archive_ == nil) {  // none yet, or a damaged one, which the next save replaces
    archive_ = open_archive(device, nil);
  }
}

id<MTLComputePipelineState> PipelineArchive::find(MTLComputePipelineDescriptor* descriptor) const {
  if (!from_file_) return nil;
  descriptor.binaryArchives = @[ archive_ ];
  NSError* error = nil;
  id<MTLComputePipelineState> pipeline =
      [device_ newComputePipelineStateWithDescriptor:descriptor
                                             options:MTLPipelineOptionFailOnBinaryArchiveMiss
                                          reflection:nil
                                               error:&error];
  descriptor.binaryArchives = nil;
  return pipeline;
}

void PipelineArchive::add(MTLComputePipelineDescriptor* descriptor) {
  NSError* error = nil;
  if (archive_ != nil && [archive_ addComputePipelineFunctionsWithDescriptor:descriptor error:&error])
    changed_ = true;
}

void PipelineArchive::save() {
  if (!changed_ || path_.empty()) return;
  changed_ = false;
  // Another window may write it, too: each its own file, and the last one stays.
  const std::string part = path_ + "." + std::to_string(getpid()) + ".part";
  NSError* failure = nil;
  std::error_code error;
  if ([archive_ serializeToURL:url_of(part) error:&failure]) std::filesystem::rename(part, path_, error);
  if (failure != nil || error) {
    std::filesystem::remove(part, error);
    return;
  }
  remove_others(path_);
}

}  // namespace emberline::metal
