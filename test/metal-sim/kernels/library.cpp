#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <mutex>

#include "kernels/executor/kernel_calls.h"
#include "kernels/loaded_library.h"
#include "kernels/simulator.h"

namespace emberline::metal_sim {
namespace {

Status damaged(const std::string& path, const std::string& why) {
  return {ErrorCode::kInvalidArgument, "'" + path + "' is not a library of simulated kernels: " + why + "."};
}

// Libraries that are open, so that a file opened twice is loaded once: its constructors run only then.
struct OpenLibraries {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<LoadedLibrary>> by_path;
};
OpenLibraries& open_libraries() {
  static OpenLibraries libraries;
  return libraries;
}

// A kernels' library finds the simulator's functions among the global symbols of the process. Where the
// simulator came in with a shared object that was opened itself, as Node opens an addon, they are not there
// yet.
void make_own_symbols_global() {
  static const bool tried = [] {
    Dl_info own{};
    if (dladdr(reinterpret_cast<const void*>(&make_own_symbols_global), &own) == 0) return false;
    return dlopen(own.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD) != nullptr;
  }();
  (void)tried;  // where it failed, opening a library says which symbol is missing
}

Result<std::shared_ptr<LoadedLibrary>> load(const std::string& path) {
  make_own_symbols_global();
  auto library = std::make_shared<LoadedLibrary>();
  take_registered_variables();
  library->handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library->handle == nullptr) {
    const char* why = dlerror();
    return damaged(path, why != nullptr ? why : "it cannot be opened");
  }
  library->variables = take_registered_variables();
  std::sort(library->variables.begin(), library->variables.end(),
            [](const LibraryVariable& a, const LibraryVariable& b) { return a.begin < b.begin; });

  const auto* text = static_cast<const char*>(dlsym(library->handle, kManifestSymbol));
  if (text == nullptr) return damaged(path, "it has no manifest");
  Result<Manifest> manifest = read_manifest(text);
  if (!manifest.ok()) return manifest.error();
  library->manifest = std::move(manifest).value();

  for (KernelInfo& kernel : library->manifest.kernels) {
    void* entry = dlsym(library->handle, ("metal_sim_run_" + kernel.name).c_str());
    if (entry == nullptr) return damaged(path, "kernel " + kernel.name + " is missing");
    library->entries.push_back(std::bit_cast<KernelEntry>(entry));
  }
  for (const ConstantInfo& constant : library->manifest.constants) {
    void* value = dlsym(library->handle, ("metal_sim_value_" + constant.name).c_str());
    void* set = dlsym(library->handle, ("metal_sim_set_" + constant.name).c_str());
    if (value == nullptr || set == nullptr) return damaged(path, "constant " + constant.name + " is missing");
    library->constants.push_back({value, static_cast<bool*>(set)});
  }
  for (std::uint32_t i = 0; i < library->entries.size(); ++i) {
    std::size_t bytes = 0;
    for (const ThreadgroupArray& array : library->threadgroup_arrays(i))
      bytes += (array.bytes + 15) / 16 * 16;
    library->manifest.kernels[i].static_threadgroup_bytes = static_cast<std::uint32_t>(bytes);
  }
  return library;
}

}  // namespace

LoadedLibrary::~LoadedLibrary() {
  if (handle != nullptr) dlclose(handle);
}

std::vector<ThreadgroupArray> LoadedLibrary::threadgroup_arrays(std::uint32_t kernel) const {
  const std::string prefix = manifest.kernels[kernel].name + "::";
  std::vector<ThreadgroupArray> arrays;
  for (const LibraryVariable& variable : variables) {
    if (!variable.name.starts_with(prefix)) continue;
    ThreadgroupArray array;
    array.begin = variable.begin;
    array.bytes = variable.bytes;
    array.bytes_with_redzone = variable.bytes_with_redzone;
    array.name = variable.name.substr(prefix.size());
    arrays.push_back(std::move(array));
  }
  return arrays;
}

void LoadedLibrary::set_constants(const std::vector<ConstantValue>& values) {
  for (const LoadedConstant& constant : constants) *constant.set = false;
  for (const ConstantValue& value : values) {
    for (std::size_t i = 0; i < constants.size(); ++i) {
      if (manifest.constants[i].index != value.index) continue;
      std::memcpy(constants[i].value, &value.bits, constant_bytes(value.type));
      *constants[i].set = true;
    }
  }
}

Result<Library> Library::open(const std::string& path) {
  OpenLibraries& libraries = open_libraries();
  const std::lock_guard lock(libraries.mutex);
  std::weak_ptr<LoadedLibrary>& known = libraries.by_path[path];
  if (auto library = known.lock()) return Library(std::move(library));
  auto library = load(path);
  if (!library.ok()) return library.error();
  known = library.value();
  return Library(std::move(library).value());
}

const std::vector<KernelInfo>& Library::kernels() const {
  return loaded_->manifest.kernels;
}
const std::vector<ConstantInfo>& Library::constants() const {
  return loaded_->manifest.constants;
}
bool Library::checked() const {
  return loaded_->manifest.checked;
}

const KernelInfo* Library::find(std::string_view kernel) const {
  for (const KernelInfo& info : kernels()) {
    if (info.name == kernel) return &info;
  }
  return nullptr;
}

Result<Pipeline> make(const Library& library, std::string_view kernel,
                      std::span<const ConstantValue> constants) {
  const KernelInfo* info = library.find(kernel);
  if (info == nullptr) {
    return Status(ErrorCode::kInvalidArgument,
                  "There is no kernel '" + std::string(kernel) + "' in the library.");
  }
  for (const ConstantValue& value : constants) {
    const auto& declared = library.constants();
    const auto found = std::find_if(declared.begin(), declared.end(), [&](const ConstantInfo& constant) {
      return constant.index == value.index;
    });
    const std::string name = "function_constant(" + std::to_string(value.index) + ")";
    // Metal ignores values of constants that a library does not declare.
    if (found == declared.end()) continue;
    if (found->type != value.type) {
      return Status(ErrorCode::kInvalidArgument, name + " has type " + constant_type_name(found->type) +
                                                     ", and was given a " + constant_type_name(value.type) +
                                                     ".");
    }
  }
  return Pipeline{library,
                  static_cast<std::uint32_t>(info - library.kernels().data()),
                  {constants.begin(), constants.end()}};
}

}  // namespace emberline::metal_sim
