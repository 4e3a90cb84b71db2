#include "llama_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace emberline_bench {

namespace {

namespace fs = std::filesystem;

// "libllama.v0.5.0.so", "libllama.so", "libllama.dylib": one of them.
fs::path library_file(const fs::path& folder, const std::string& stem) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool is_library = name.ends_with(".so") || name.ends_with(".dylib");
    if (is_library && name.starts_with(stem + ".")) return entry.path();
  }
  return {};
}

// Looks one function up and remembers the first that is missing.
class Symbols {
 public:
  Symbols(void* llama, void* ggml) : llama_(llama), ggml_(ggml) {}

  template <typename Function>
  void find(Function& function, const char* name) {
    void* address = dlsym(std::strncmp(name, "ggml_", 5) == 0 ? ggml_ : llama_, name);
    if (address == nullptr && missing_.empty()) missing_ = name;
    static_assert(sizeof(Function) == sizeof(void*));
    std::memcpy(&function, &address, sizeof(Function));
  }

  const std::string& missing() const { return missing_; }

 private:
  void* llama_;
  void* ggml_;
  std::string missing_;
};

constexpr const char* kLaidOutDifferently =
    "The peer's llama_context_params is laid out differently from the version this bench is made for.";

// Whether the 32-bit fields from the `first` on are these.
template <std::size_t kCount>
bool lie_at(const ParameterBlock& params, std::size_t first, const std::uint32_t (&expected)[kCount]) {
  std::uint32_t fields[kCount];
  std::memcpy(fields, params.bytes + first * sizeof(std::uint32_t), sizeof(fields));
  return std::equal(std::begin(fields), std::end(fields), std::begin(expected));
}

}  // namespace

std::string open_llama_library(const std::string& folder, LlamaLibrary& library) {
  const fs::path llama_file = library_file(folder, "libllama"), ggml_file = library_file(folder, "libggml");
  if (llama_file.empty() || ggml_file.empty()) return folder + " holds no libllama and libggml.";
  void* ggml = dlopen(ggml_file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* llama = ggml == nullptr ? nullptr : dlopen(llama_file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (llama == nullptr) return std::string("The peer's library cannot be opened: ") + dlerror() + ".";
  Symbols symbols(llama, ggml);
  symbols.find(library.log_set, "llama_log_set");
  symbols.find(library.backend_init, "llama_backend_init");
  symbols.find(library.backend_load_all_from_path, "ggml_backend_load_all_from_path");
  symbols.find(library.model_default_params, "llama_model_default_params");
  symbols.find(library.context_default_params, "llama_context_default_params");
  symbols.find(library.model_load_from_file, "llama_model_load_from_file");
  symbols.find(library.model_free, "llama_model_free");
  symbols.find(library.init_from_model, "llama_init_from_model");
  symbols.find(library.free_context, "llama_free");
  symbols.find(library.threadpool_params_default, "ggml_threadpool_params_default");
  symbols.find(library.backend_dev_by_type, "ggml_backend_dev_by_type");
  symbols.find(library.backend_dev_backend_reg, "ggml_backend_dev_backend_reg");
  symbols.find(library.backend_reg_get_proc_address, "ggml_backend_reg_get_proc_address");
  symbols.find(library.attach_threadpool, "llama_attach_threadpool");
  symbols.find(library.set_n_threads, "llama_set_n_threads");
  symbols.find(library.n_threads, "llama_n_threads");
  symbols.find(library.n_threads_batch, "llama_n_threads_batch");
  symbols.find(library.n_ctx, "llama_n_ctx");
  symbols.find(library.n_batch, "llama_n_batch");
  symbols.find(library.n_ubatch, "llama_n_ubatch");
  symbols.find(library.get_memory, "llama_get_memory");
  symbols.find(library.memory_clear, "llama_memory_clear");
  symbols.find(library.memory_seq_rm, "llama_memory_seq_rm");
  symbols.find(library.model_get_vocab, "llama_model_get_vocab");
  symbols.find(library.vocab_n_tokens, "llama_vocab_n_tokens");
  symbols.find(library.batch_init, "llama_batch_init");
  symbols.find(library.batch_free, "llama_batch_free");
  symbols.find(library.decode, "llama_decode");
  symbols.find(library.synchronize, "llama_synchronize");
  symbols.find(library.get_logits_ith, "llama_get_logits_ith");
  if (!symbols.missing().empty()) return "The peer's library has no " + symbols.missing() + ".";
  library.log_set([](int, const char*, void*) {}, nullptr);
  library.backend_load_all_from_path(folder.c_str());
  library.backend_init();
  return {};
}

GgmlPool* make_thread_pool(const LlamaLibrary& library, int threads) {
  constexpr int kCpuDevice = 0;
  GgmlDevice* device = library.backend_dev_by_type(kCpuDevice);
  if (device == nullptr) return nullptr;
  GgmlRegistry* registry = library.backend_dev_backend_reg(device);
  void* address = library.backend_reg_get_proc_address(registry, "ggml_threadpool_new");
  if (address == nullptr) return nullptr;
  GgmlPool* (*make)(ParameterBlock*) = nullptr;
  std::memcpy(&make, &address, sizeof(make));
  ParameterBlock params = library.threadpool_params_default(threads);
  return make(&params);
}

std::string context_parameters(const LlamaLibrary& library, ContextSize size, ParameterBlock& params) {
  params = library.context_default_params();
  // n_ctx, n_batch, n_ubatch, n_seq_max: the documented defaults, all distinct enough to show a moved field.
  constexpr std::uint32_t kDefaults[] = {512, 2048, 512, 1};
  if (!lie_at(params, 0, kDefaults)) return kLaidOutDifferently;
  const std::uint32_t leading[] = {size.context, size.batch, size.physical_batch};
  std::memcpy(params.bytes, leading, sizeof(leading));
  return {};
}

std::string round_nothing(ParameterBlock& params) {
  // Four enumerations that are -1, "as it decides", of which the last is flash_attn_type; type_k and type_v,
  // which are F16, behind empty pointers.
  constexpr std::uint32_t kDecides = 0xFFFFFFFFu, kNo = 0, kF32 = 0, kF16 = 1;
  constexpr std::size_t kFlashAttention = 13, kTypes = 26;
  if (!lie_at(params, kFlashAttention - 3, {kDecides, kDecides, kDecides, kDecides}) ||
      !lie_at(params, kTypes - 4, {0, 0, 0, 0, kF16, kF16})) {
    return kLaidOutDifferently;
  }
  const std::uint32_t types[] = {kF32, kF32};
  std::memcpy(params.bytes + kFlashAttention * sizeof(kNo), &kNo, sizeof(kNo));
  std::memcpy(params.bytes + kTypes * sizeof(kF32), types, sizeof(types));
  return {};
}

}  // namespace emberline_bench
