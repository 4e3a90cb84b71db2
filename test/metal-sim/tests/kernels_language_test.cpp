// The language: what the translator changes, what the library's names compute, what diagnostics say.
#include <cmath>

#include "kernel_dispatch.h"
#include "kernels/compiler.h"
#include "kernels/manifest.h"
#include "kernels/translate/translate.h"

namespace emberline::metal_sim {
namespace {

// `body` fills out[0..], with in[i] = i.
std::vector<float> computed(const std::string& body, const std::string& declarations = "") {
  const auto library =
      compiled("#include <metal_stdlib>\nusing namespace metal;\n" + declarations +
               "\nkernel void k(device float* out [[buffer(0)]], device const float* in [[buffer(1)]]) {\n" +
               body + "\n}\n");
  std::vector<float> out(16), in(16);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  if (!library.has_value()) return out;
  Dispatch dispatch{.pipeline = pipeline(*library, "k")};
  dispatch.buffers[0] = bind(out);
  dispatch.buffers[1] = bind(in);
  expect_runs(dispatch);
  return out;
}

std::string refusal(const std::string& source) {
  const auto library = compile("#include <metal_stdlib>\nusing namespace metal;\n" + source);
  EXPECT_FALSE(library.ok());
  return library.ok() ? "" : library.error().message();
}

TEST(Language, ConstructsVectors) {
  const auto out = computed(R"(
  const float4 a = float4(1.0f, float2(in[2], 3), in[4]);
  const int4 b = int4(float4(1.5f, -2.5f, 3.0f, 4.0f));
  const half2 h = half2(float2(0.5f, 0.25f));
  const float4 c = float4(uchar4(uint4(7)) & uchar4(3)) + float4(0.5);
  const float3 d = float3(a.xy, 9.0f).zyx;
  out[0] = a.x; out[1] = a.y; out[2] = a.z; out[3] = a.w;
  out[4] = float(b.x); out[5] = float(b.y); out[6] = float(h.y); out[7] = c.w;
  out[8] = d.x; out[9] = d.z; out[10] = float4{1.0f, 2.0f, 3.0f, 4.0f}.z; out[11] = (vec<float, 2>{5.0f, 6.0f}).y;
)");
  EXPECT_EQ(out, (std::vector<float>{1, 2, 3, 4, 1, -2, 0.25f, 3.5f, 9, 1, 3, 6, 0, 0, 0, 0}));
}

TEST(Language, ExpandsMacrosIntoKernels) {
  const auto library = compiled(R"(
#include <metal_stdlib>
using namespace metal;
template <typename T, uint kTimes> inline void scale_all(device T* x, uint i) { x[i] *= T(kTimes); }
#define KERNEL(type, times)                                                                     \
  kernel void scale_##type##_##times(device type* x [[buffer(0)]], uint i [[thread_position_in_grid]]) { \
    scale_all<type, times>(x, i);                                                               \
  }
KERNEL(float, 2)
KERNEL(int, 3)
)");
  ASSERT_TRUE(library.has_value());
  std::vector<int> x = {1, 2, 3};
  Dispatch dispatch{.pipeline = pipeline(*library, "scale_int_3")};
  dispatch.buffers[0] = bind(x);
  dispatch.threads_per_threadgroup = {3};
  expect_runs(dispatch);
  EXPECT_EQ(x, (std::vector<int>{3, 6, 9}));
  EXPECT_NE(library->find("scale_float_2"), nullptr);
}

TEST(Language, LeavesOpenClWordsToKernels) {
  const auto out =
      computed("float local = in[1], global = in[2], generic = in[3]; out[0] = local + global + generic;");
  EXPECT_EQ(out[0], 6.0f);
}

TEST(Language, ReadsConstantTablesAndPackedVectors) {
  const auto out = computed(R"(
  device const packed_float2* pairs = (device const packed_float2*)(in + 1);
  const float2 second = pairs[1];
  out[0] = second.x + float(kTable[uint(in[2])].weight);
  out[1] = float(sizeof(packed_uchar4)) + float(alignof(packed_half4));
)",
                            "struct Entry { short weight; uchar bits; };\n"
                            "constant Entry kTable[3] = {{10, 1}, {20, 2}, {30, 3}};");
  EXPECT_EQ(out[0], 33.0f);
  EXPECT_EQ(out[1], 6.0f);
}

TEST(Language, ComputesAsTheSpecificationSays) {
  const auto out = computed(R"(
  out[0] = exp(in[1]); out[1] = log2(in[8]); out[2] = rsqrt(in[4]); out[3] = fma(in[2], in[3], in[4]);
  out[4] = float(clz(uint(in[1]))); out[5] = float(popcount(0xF0F0u)); out[6] = float(mulhi(0x80000000u, 6u));
  out[7] = as_type<float>(0x40490FDBu); out[8] = dot(float4(in[1]), float4(1, 2, 3, 4)); out[9] = clamp(in[9], 0.0f, 4.0f);
  out[10] = float(extract_bits(0xABCDu, 4, 8)); out[11] = select(1.0f, 2.0f, in[1] > 0.0f);
  out[12] = precise::cos(in[0]); out[13] = mix(2.0f, 4.0f, 0.25f); out[14] = float(any(float4(in[1]) > float4(2.0f)));
  out[15] = float(half(1.0f) + half(0.0004f));
)");
  const float expected[] = {std::exp(1.0f), 3, 0.5f, 10, 31, 8, 3, 3.14159274f, 10, 4, 188, 2, 1, 2.5f, 0, 1};
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(out[i], expected[i]) << i;
}

TEST(Language, HasAtomicsInBothSpaces) {
  const auto library = compiled(R"(
#include <metal_atomic>
using namespace metal;
kernel void k(device atomic_uint* counts [[buffer(0)]], device atomic_float* sum [[buffer(1)]],
              uint i [[thread_position_in_grid]], uint tid [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint most;
  if (tid == 0) atomic_store_explicit(&most, 0u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_max_explicit(&most, i, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (tid == 0) atomic_fetch_add_explicit(&counts[0], atomic_load_explicit(&most, memory_order_relaxed), memory_order_relaxed);
  atomic_fetch_or_explicit(&counts[1], 1u << (i % 32), memory_order_relaxed);
  atomic_fetch_add_explicit(sum, 0.5f, memory_order_relaxed);
  uint expected = 0;
  if (atomic_compare_exchange_weak_explicit(&counts[2], &expected, 7u, memory_order_relaxed, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&counts[3], 1u, memory_order_relaxed);
  }
})");
  ASSERT_TRUE(library.has_value());
  for (const Order& order : three_orders()) {
    std::vector<std::uint32_t> counts(4);
    float sum = 0;
    Dispatch dispatch{.pipeline = pipeline(*library, "k")};
    dispatch.buffers[0] = bind(counts);
    dispatch.buffers[1] = bind(sum);
    dispatch.threadgroups = {2};
    dispatch.threads_per_threadgroup = {64};
    expect_runs(dispatch, order);
    EXPECT_EQ(counts, (std::vector<std::uint32_t>{63 + 127, ~0u, 7, 1}));
    EXPECT_EQ(sum, 64.0f);
  }
}

TEST(Diagnostics, NameThePlaceInTheSource) {
  EXPECT_NE(refusal("\n\nkernel void k(device float* a [[buffer(0)]]) {\n  a[0] = unknown_name;\n}\n")
                .find("source.metal:6:"),
            std::string::npos);
}

TEST(Diagnostics, SayWhatIsNotSupported) {
  EXPECT_NE(refusal("kernel void k(device float* a) {}").find("parameter 'a' of kernel k"),
            std::string::npos);
  EXPECT_NE(
      refusal("kernel void k(thread float* a [[buffer(0)]]) {}").find("neither in device nor in constant"),
      std::string::npos);
  EXPECT_NE(refusal("kernel void k(device float* a [[buffer(31)]]) {}").find("index below 31"),
            std::string::npos);
  EXPECT_NE(refusal("[[host_name(\"x\")]] kernel void k(device float* a [[buffer(0)]]) {}").find("host_name"),
            std::string::npos);
  EXPECT_NE(refusal("constant float4 C [[function_constant(0)]];").find("cannot have type float4"),
            std::string::npos);
}

TEST(Faults, NameTheLine) {
  const auto library = compiled(
      "#include <metal_stdlib>\nusing namespace metal;\nkernel void k(device float* a [[buffer(0)]]) {\n  "
      "a[1] = 2.0f;\n}\n");
  float a = 0;
  Dispatch dispatch{.pipeline = pipeline(*library, "k")};
  dispatch.buffers[0] = bind(a);
  const auto fault = run(dispatch);
  ASSERT_TRUE(fault.has_value());
  EXPECT_NE(fault->location.find("source.metal:4"), std::string::npos) << fault->location;
}

TEST(Manifest, ReadsWhatItWrote) {
  Manifest manifest;
  manifest.checked = true;
  manifest.constants = {{"FACTOR", 3, ConstantType::kUShort}, {"ON", 0, ConstantType::kBool}};
  KernelInfo kernel;
  kernel.name = "k";
  kernel.max_threads = 256;
  kernel.buffers = {{"a", 0, true, ""}, {"bias", 7, false, "ON"}};
  kernel.threadgroup = {{"s", 2}};
  manifest.kernels = {kernel};
  const std::string text = write_manifest(manifest);
  const auto read = read_manifest(text);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(write_manifest(read.value()), text);
  EXPECT_EQ(read.value().kernels[0].buffers[1].condition, "ON");
  for (const char* bad : {"version 999 checked\n", "buffer 0 writable - a\n", "constant 0 double D\n",
                          "nonsense\n", "version 1 checked\nkernel k 64\nbuffer 31 writable - a\n"}) {
    EXPECT_FALSE(read_manifest(bad).ok()) << bad;
  }
}

// Everything but the four changes stands as it stood, on its line.
TEST(Translation, ChangesNoLines) {
  const std::string source =
      "constant uint N\n    [[function_constant(0)]];\n// float4( in a comment\nkernel void k(device float* "
      "a\n"
      "    [[buffer(0)]]) {\n  a[0] = float2(1, 2).y + \"float4(\"[0] + x.N + N;\n}\n";
  const auto translation = translate(source, true);
  ASSERT_TRUE(translation.ok()) << translation.error().message();
  const std::string& text = translation.value().text;
  const std::size_t begin = text.find("extern \"C\" { __global uint metal_sim_value_N");
  ASSERT_NE(begin, std::string::npos);
  const std::string body = text.substr(begin, text.find("# 1 \"entry functions\"") - begin);
  EXPECT_EQ(std::count(body.begin(), body.end(), '\n'), std::count(source.begin(), source.end(), '\n') + 1);
  EXPECT_NE(body.find("// float4( in a comment"), std::string::npos);
  EXPECT_NE(body.find("metal_sim_float2(1, 2).y + \"float4(\"[0] + x.N + metal_sim_constant_N();"),
            std::string::npos)
      << body;
}

}  // namespace
}  // namespace emberline::metal_sim
