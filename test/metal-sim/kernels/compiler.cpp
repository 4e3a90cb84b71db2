#include "kernels/compiler.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "kernels/clang_options.h"
#include "kernels/process.h"
#include "kernels/scratch_file.h"
#include "kernels/translate/translate.h"

namespace emberline::metal_sim {
namespace {

namespace fs = std::filesystem;

Status cannot_write(const fs::path& folder) {
  return {ErrorCode::kFileIo, "Cannot write into '" + folder.string() + "'."};
}

// FNV-1a: a name for a source in the cache.
std::uint64_t hash(std::string_view text, std::uint64_t seed) {
  for (const char c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return seed;
}

// Everything in the shim's headers belongs to the key, and so do the compiler's options.
std::uint64_t toolchain_hash() {
  static const std::uint64_t value = [] {
    std::uint64_t sum = 0xCBF29CE484222325u;
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(METAL_SIM_SHIM_DIR, ignored)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) sum = hash(read_file(file.string()), sum);
    for (const bool checked : {false, true}) {
      CompileOptions options;
      options.checked = checked;
      for (const std::string& option : compile_options(options)) sum = hash(option, sum);
    }
    return sum;
  }();
  return value;
}

}  // namespace

Result<std::string> preprocess(std::string_view source, const std::string& name,
                               const CompileOptions& options) {
  const fs::path folder = METAL_SIM_CACHE_DIR;
  const ScratchFile input(folder, ".metal"), output(folder, ".preprocessed");
  if (!input.write("#line 1 \"" + name + "\"\n" + std::string(source))) return cannot_write(folder);
  std::vector<std::string> command = preprocess_options();
  for (const std::string& include : options.include_folders) command.insert(command.end(), {"-I", include});
  command.insert(command.end(), {"-o", output.path(), input.path()});
  const ProcessResult result = run_process(command);
  if (result.status != 0) return Status(ErrorCode::kInvalidArgument, result.output);
  return read_file(output.path());
}

Result<std::string> compile_to(const std::string& path, std::string_view source, const std::string& name,
                               const CompileOptions& options) {
  Result<std::string> preprocessed = preprocess(source, name, options);
  if (!preprocessed.ok()) return preprocessed.error();
  Result<Translation> translation = translate(preprocessed.value(), options.checked);
  if (!translation.ok()) return translation.error();

  const fs::path folder = METAL_SIM_CACHE_DIR;
  const ScratchFile input(folder, ".cl"), output(folder, ".so");
  if (!input.write(translation.value().text)) return cannot_write(folder);
  std::vector<std::string> command = compile_options(options);
  command.insert(command.end(), {"-o", output.path(), input.path(), "-lm"});
  const ProcessResult result = run_process(command);
  if (result.status != 0) return Status(ErrorCode::kInvalidArgument, result.output);
  // Renamed into place, so that nobody opens half a file.
  std::error_code error;
  fs::rename(output.path(), path, error);
  if (error) {
    fs::copy_file(output.path(), path, fs::copy_options::overwrite_existing, error);
    if (error) return cannot_write(fs::path(path).parent_path());
  }
  return result.output;
}

Result<std::string> cached_library(std::string_view source, const std::string& name,
                                   const CompileOptions& options) {
  std::string key(source);
  if (!options.include_folders.empty()) {  // headers are part of the key, too
    Result<std::string> preprocessed = preprocess(source, name, options);
    if (!preprocessed.ok()) return preprocessed.error();
    key = std::move(preprocessed).value();
  }
  char file[64];
  std::snprintf(file, sizeof file, "%016llx%s%s.so",
                static_cast<unsigned long long>(hash(key, toolchain_hash())),
                options.checked ? "" : ".unchecked", options.contracted ? ".contracted" : "");
  const fs::path path = fs::path(METAL_SIM_CACHE_DIR) / file;
  std::error_code error;
  if (!fs::exists(path, error)) {
    const Result<std::string> compiled = compile_to(path.string(), source, name, options);
    if (!compiled.ok()) return compiled.error();
  }
  return path.string();
}

Result<Library> compile(std::string_view source, const CompileOptions& options) {
  const Result<std::string> library = cached_library(source, "source.metal", options);
  if (!library.ok()) return library.error();
  return Library::open(library.value());
}

}  // namespace emberline::metal_sim
