// The lint refuses what Apple's compiler refuses, and nothing that it takes.
#include <algorithm>

#include "kernel_dispatch.h"
#include "kernels/lint/lint.h"

namespace emberline::metal_sim {
namespace {

constexpr const char* kPrologue = R"(
#include <metal_stdlib>
using namespace metal;
struct Block { half scale; uchar quants[16]; float total() const { return float(scale); } };
inline float of_device(device const float* x) { return x[0]; }
inline float of_threadgroup(threadgroup const float* x) { return x[0]; }
inline float of_thread(thread const float* x) { return x[0]; }
inline void set(thread float& x) { x = 1.0f; }
)";

std::vector<std::string> findings_of(const std::string& declarations, const std::string& body) {
  const std::string source = kPrologue + declarations + R"(
kernel void k(device float* a [[buffer(0)]], device const Block* w [[buffer(1)]], constant uint& n [[buffer(2)]],
              threadgroup float* s [[threadgroup(0)]], uint i [[thread_position_in_grid]]) {
)" + body + "\n}\n";
  auto findings = lint(source, "seeded.metal");
  EXPECT_TRUE(findings.ok()) << findings.error().message();
  return findings.ok() ? findings.value() : std::vector<std::string>();
}

struct SeededMistake {
  const char* name;
  const char* declarations;
  const char* body;
};

void PrintTo(const SeededMistake& seeded, std::ostream* out) {
  *out << seeded.name;
}

class Refused : public testing::TestWithParam<SeededMistake> {};
TEST_P(Refused, ByTheLint) {
  EXPECT_FALSE(findings_of(GetParam().declarations, GetParam().body).empty());
}
INSTANTIATE_TEST_SUITE_P(
    Kernels, Refused,
    testing::Values(
        SeededMistake{"threadgroup_pointer_for_device", "", "a[i] = of_device(s);"},
        SeededMistake{"device_pointer_for_threadgroup", "", "a[i] = of_threadgroup(a);"},
        SeededMistake{"thread_pointer_for_device", "", "float x[2] = {0.0f, 1.0f}; a[i] = of_device(x);"},
        SeededMistake{"device_pointer_for_thread", "", "a[i] = of_thread(a);"},
        SeededMistake{"device_reference_for_thread", "", "set(a[i]);"},
        SeededMistake{"constant_pointer_for_device", "",
                      "a[i] = float(*(device const uint*)&n) + of_device((constant const float*)&n);"},
        SeededMistake{"assigned_between_spaces", "", "threadgroup float* p = a; a[i] = p[0];"},
        SeededMistake{"pointer_without_space", "inline float plain(float* x) { return x[0]; }",
                      "a[i] = plain(a);"},
        SeededMistake{"reference_without_space", "inline void plain(float& x) { x = 1.0f; }",
                      "float x; plain(x); a[i] = x;"},
        SeededMistake{"local_pointer_without_space", "", "const float* p = s; a[i] = p[0];"},
        SeededMistake{"member_pointer_without_space", "struct View { const float* data; };",
                      "View v; v.data = a; a[i] = v.data[0];"},
        SeededMistake{"method_on_device_object", "", "a[i] = w[i].total();"},
        SeededMistake{"double_precision", "", "a[i] = float(double(a[i]) * 2);"},
        SeededMistake{"lambda", "", "auto twice = [](float x) { return 2.0f * x; }; a[i] = twice(a[i]);"},
        SeededMistake{"if_constexpr", "", "if constexpr (sizeof(float) == 4) a[i] = 1.0f;"},
        SeededMistake{"goto_statement", "", "if (n > 1) goto end; a[i] = 1.0f; end: return;"},
        SeededMistake{"builtin_of_clang", "", "a[i] = __builtin_fabsf(a[i]);"},
        SeededMistake{"name_of_the_simulator", "", "metal_sim_take_part(); a[i] = 0.0f;"},
        SeededMistake{"space_of_opencl", "", "__local float* p = s; a[i] = p[0];"},
        SeededMistake{"attribute_of_gnu", "inline __attribute__((noinline)) float f(float x) { return x; }",
                      "a[i] = f(a[i]);"},
        SeededMistake{"choice_without_a_middle_of_gnu", "", "a[i] = n ?: 1;"},
        SeededMistake{"range_of_cases_of_gnu", "", "switch (n) { case 1 ... 3: a[i] = 1.0f; }"},
        SeededMistake{"statements_in_an_expression_of_gnu", "", "a[i] = ({ float x = 2.0f; x * x; });"}),
    [](const auto& test) { return std::string(test.param.name); });

class Taken : public testing::TestWithParam<SeededMistake> {};
TEST_P(Taken, ByTheLint) {
  EXPECT_EQ(findings_of(GetParam().declarations, GetParam().body), std::vector<std::string>());
}
INSTANTIATE_TEST_SUITE_P(
    Kernels, Taken,
    testing::Values(
        SeededMistake{
            "right_spaces", "",
            "s[0] = of_device(a); float x = 0.0f; set(x); a[i] = of_threadgroup(s) + of_thread(&x);"},
        SeededMistake{"structures_copied", "inline float sum(Block b) { return float(b.scale); }",
                      "Block b = w[i]; Block c; c = b; a[i] = c.total() + sum(b);"},
        SeededMistake{"structures_through_templates",
                      "template <typename T> inline float scale_of(T b) { return float(b.scale); }",
                      "a[i] = scale_of(w[i]);"},
        SeededMistake{
            "matrices", "",
            "simdgroup_float8x8 m(0.0f); simdgroup_float8x8 c = m; simdgroup_multiply_accumulate(c, m, m, c);"
            "simdgroup_store(c, a);"},
        SeededMistake{"ballots", "", "a[i] = float(ulong(simd_ballot(i > 3)));"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Lint, NamesThePlace) {
  const auto findings = findings_of("", "\na[i] = of_device(s);");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].find("seeded.metal:"), std::string::npos) << findings[0];
}

// Names that the specification does not have do not compile at all.
TEST(Lint, LeavesForeignNamesToTheCompiler) {
  for (const char* body :
       {"a[i] = get_global_id(0);", "barrier(1);", "a[i] = expm1(a[i]);", "a[i] = log1p(a[i]);",
        "atomic_fetch_add((device atomic_uint*)a, 1u);", "a[i] = float(simd_shuffle_sum(i));"}) {
    const auto library = compile(std::string(kPrologue) +
                                 "kernel void k(device float* a [[buffer(0)]], uint i "
                                 "[[thread_position_in_grid]]) { " +
                                 body + " }");
    ASSERT_FALSE(library.ok()) << body;
    EXPECT_NE(library.error().message().find("undeclared"), std::string::npos) << library.error().message();
  }
}

}  // namespace
}  // namespace emberline::metal_sim
