#include "addon/inspection.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "addon/arguments.h"
#include "addon/functions.h"
#include "addon/js_values.h"
#include "addon/one_task.h"
#include "base/cpu_topology.h"
#include "base/read_bandwidth.h"
#include "base/thread_pool.h"
#include "base/try.h"
#include "engine/kv_cache_type.h"
#include "engine/model_file.h"
#include "engine/model_outline.h"
#include "gguf/describe.h"
#include "gguf/gguf_file.h"

namespace emberline::addon {
namespace {

// Plain data: the file is unmapped again before the JS thread sees it.
struct Inspection {
  struct Entry {
    std::string key, type, value;
  };
  struct Tensor {
    std::string name, type;
    std::vector<std::uint64_t> shape;
    std::size_t bytes = 0;
  };
  std::uint32_t version = 0;
  std::uint64_t file_bytes = 0;
  std::vector<Entry> metadata;
  std::vector<Tensor> tensors;
  Status verdict;
  ModelOutline outline;  // where the verdict is good
};

Result<Inspection> read(const std::string& path) {
  TRY_VALUE(auto opened, open_model_file(path, FolderUse::kLook));
  const GgufFile& file = *opened;
  Inspection result;
  result.version = file.version();
  result.file_bytes = file.file_bytes();
  for (const GgufMetadata& entry : file.metadata()) {
    result.metadata.push_back(
        {std::string(entry.key), gguf_type_name(entry.value.type), describe(entry.value)});
  }
  for (const GgufTensor& tensor : file.tensors()) {
    result.tensors.push_back({std::string(tensor.name),
                              tensor_type_name(tensor.type_id),
                              {tensor.shape, tensor.shape + tensor.rank},
                              tensor.data.size()});
  }
  Result<ModelOutline> found = outline(file);
  if (found.ok())
    result.outline = std::move(found).value();
  else
    result.verdict = found.error();
  return result;
}

napi_value js_outline(napi_env env, const ModelOutline& outline) {
  ObjectBuilder fim(env);
  const auto add = [&](const char* name, TokenId token) {
    if (token != kNoToken) fim.add(name, token);
  };
  add("prefix", outline.fim.prefix);
  add("suffix", outline.fim.suffix);
  add("middle", outline.fim.middle);
  add("separator", outline.fim.separator);
  add("repository", outline.fim.repository);
  ObjectBuilder kv(env);
  for (std::uint32_t type = 0; type < kKvTypes; ++type) {
    std::vector<napi_value> kinds;
    for (const KvOutline& layers : outline.kv[type]) {
      const std::uint64_t most =
          std::uint64_t{kv_pages_held(layers.window, outline.context_length)} * kKvPagePositions;
      kinds.push_back(ObjectBuilder(env)
                          .add("bytesAPosition", static_cast<double>(layers.bytes_a_position))
                          .add("mostPositions", static_cast<double>(most))
                          .build());
    }
    kv.add(kv_cache_name(type), js_array(env, kinds));
  }
  return ObjectBuilder(env)
      .add("weightBytes", static_cast<double>(outline.weight_bytes))
      .add("tokenBytes", static_cast<double>(outline.token_bytes))
      .add("kvCache", kv.build())
      .add("contextLength", outline.context_length)
      .add("fim", fim.build())
      .build();
}

napi_value js_inspection(napi_env env, const Inspection& inspection) {
  std::vector<napi_value> metadata, tensors;
  for (const auto& entry : inspection.metadata) {
    metadata.push_back(ObjectBuilder(env)
                           .add("key", std::string_view(entry.key))
                           .add("type", std::string_view(entry.type))
                           .add("value", std::string_view(entry.value))
                           .build());
  }
  for (const auto& tensor : inspection.tensors) {
    std::vector<napi_value> shape;
    for (const std::uint64_t extent : tensor.shape)
      shape.push_back(js_number(env, static_cast<double>(extent)));
    tensors.push_back(ObjectBuilder(env)
                          .add("name", std::string_view(tensor.name))
                          .add("type", std::string_view(tensor.type))
                          .add("shape", js_array(env, shape))
                          .add("bytes", static_cast<double>(tensor.bytes))
                          .build());
  }
  return ObjectBuilder(env)
      .add("version", inspection.version)
      .add("fileBytes", static_cast<double>(inspection.file_bytes))
      .add("metadata", js_array(env, metadata))
      .add("tensors", js_array(env, tensors))
      .add("unsupported", std::string_view(inspection.verdict.message()))
      .add("unsupportedCode", std::string_view(code_name(inspection.verdict.code())))
      .add("outline", inspection.verdict.ok() ? js_outline(env, inspection.outline) : js_undefined(env))
      .build();
}

Result<double> measured_bandwidth(std::size_t bytes) {
  TRY_VALUE(const std::unique_ptr<ThreadPool> pool, ThreadPool::create(recommended_threads()));
  const double bandwidth = emberline::read_bandwidth(*pool, bytes);
  if (bandwidth > 0) return bandwidth;
  return Status(ErrorCode::kOutOfMemory, "There is no memory for a buffer to measure with.");
}

}  // namespace

Napi::Value inspect(const Napi::CallbackInfo& call) {
  const Napi::Env env = call.Env();
  Arguments arguments(env);
  std::string path = arguments.path(call[0], "path");
  if (!arguments.ok()) return settled_error(env, arguments.status());
  return run_once<Inspection>(
      env, [path = std::move(path)] { return read(path); },
      [](napi_env js, Inspection& inspection) { return js_inspection(js, inspection); });
}

Napi::Value read_bandwidth(const Napi::CallbackInfo& call) {
  const Napi::Env env = call.Env();
  Arguments arguments(env);
  constexpr double kLeast = 1 << 16, kMost = 1 << 30;
  const auto bytes = static_cast<std::size_t>(arguments.integer(call[0], "bytes", kLeast, kMost));
  if (!arguments.ok()) return settled_error(env, arguments.status());
  return run_once<double>(
      env, [bytes] { return measured_bandwidth(bytes); },
      [](napi_env js, double& bandwidth) -> napi_value { return Napi::Number::New(js, bandwidth); });
}

}  // namespace emberline::addon
