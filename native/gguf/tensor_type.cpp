#include "gguf/tensor_type.h"

#include <iterator>

namespace emberline {
namespace {

// ggml's enumeration, by id: without a name what was given up, without elements what there are no kernels
// for.
// clang-format off
constexpr TensorTypeTraits kTypes[] = {
    {"F32", 1, 4},       {"F16", 1, 2},       {"Q4_0", 32, 18},    {"Q4_1", 32, 20},    {},
    {},                  {"Q5_0", 32, 22},    {"Q5_1", 32, 24},    {"Q8_0", 32, 34},    {"Q8_1"},
    {"Q2_K", 256, 84},   {"Q3_K", 256, 110},  {"Q4_K", 256, 144},  {"Q5_K", 256, 176},  {"Q6_K", 256, 210},
    {"Q8_K"},            {"IQ2_XXS"},         {"IQ2_XS"},          {"IQ3_XXS"},         {"IQ1_S"},
    {"IQ4_NL", 32, 18},  {"IQ3_S"},           {"IQ2_S"},           {"IQ4_XS", 256, 136}, {"I8"},
    {"I16"},             {"I32"},             {"I64"},             {"F64"},             {"IQ1_M"},
    {"BF16", 1, 2},      {},                  {},                  {},                  {"TQ1_0"},
    {"TQ2_0"},           {},                  {},                  {},                  {"MXFP4", 32, 17}};
// clang-format on

}  // namespace

const TensorTypeTraits* tensor_type_traits(std::uint32_t id) {
  return id < std::size(kTypes) && kTypes[id].block_elements > 0 ? &kTypes[id] : nullptr;
}

const TensorTypeTraits& traits(TensorType type) {
  return *tensor_type_traits(static_cast<std::uint32_t>(type));
}

const char* ggml_type_name(std::uint32_t id) {
  return id < std::size(kTypes) ? kTypes[id].name : nullptr;
}

}  // namespace emberline
