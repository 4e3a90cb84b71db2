#include "kernels/clang_options.h"

namespace emberline::metal_sim {

std::vector<std::string> preprocess_options() {
  // Macros of this machine are no business of a kernel's, and the standard headers are the simulator's; those
  // are left out until the translation is done.
  return {METAL_SIM_CLANG,
          "-E",
          "-x",
          "c++",
          "-std=c++17",
          "-undef",
          "-nostdinc",
          "-Wno-everything",
          "-D__METAL__=1",
          "-D__METAL_VERSION__=300",
          "-D__METAL_MACOS__=1",
          "-DMETAL_SIM_PREPROCESSING",
          "-fno-color-diagnostics",
          "-I",
          METAL_SIM_SHIM_DIR};
}

std::vector<std::string> compile_options(const CompileOptions& wanted) {
  std::vector<std::string> options = {
      METAL_SIM_CLANG, "-x", "clcpp", "-cl-std=clc++2021", "-cl-no-stdinc", "-Xclang",
      "-cl-ext=+cl_khr_fp16,+__opencl_c_program_scope_global_variables",
      // Not -march=native: half arithmetic must not depend on what the machine can do.
      "--target=x86_64-linux-gnu", "-march=x86-64-v3", "-fPIC", "-gline-tables-only", "-gdwarf-4",
      // A large frame touches the guard page below its stack instead of skipping it.
      "-fstack-clash-protection",
      // Equal barriers of two branches stay two, so that threads which wait at different ones can be told.
      "-mllvm", "-sink-common-insts=0", "-mllvm", "-hoist-common-insts=0", "-mllvm", "-enable-tail-merge=0",
      // A loop that waits for ever is kept, and found.
      "-fno-finite-loops", "-Wall", "-Wno-unknown-attributes", "-Wno-unused-function", "-Wno-unknown-pragmas",
      "-fno-color-diagnostics", "-I", METAL_SIM_SHIM_DIR, "-shared",
      // The kernel address sanitizer's instrumentation with the simulator as its runtime: calls before every
      // access, and a record of every variable, from which the threadgroup arrays of a kernel are known.
      // Its calls that cannot be renamed otherwise are by the linker, since a program under the address
      // sanitizer has functions of these names.
      "-fsanitize=kernel-address", "-mllvm", "-asan-globals=1", "-mllvm", "-asan-stack=0", "-mllvm",
      "-asan-memory-access-callback-prefix=metal_sim_", "-mllvm", "-asan-kernel-mem-intrinsic-prefix=1",
      "-Wl,--wrap=__asan_register_globals", "-Wl,--wrap=__asan_unregister_globals",
      "-Wl,--wrap=__asan_handle_no_return"};
  const auto add = [&](std::initializer_list<const char*> more) {
    options.insert(options.end(), more.begin(), more.end());
  };
  add({wanted.contracted ? "-ffp-contract=fast" : "-ffp-contract=off"});
  if (wanted.checked) {
    // A call before every access is what it spends its time in: optimised more, it takes three times as long
    // to compile, and no less to run.
    add({"-O1"});
    // Vectorised loops would read several elements in one access, and gaps between them. A store is looked at
    // even where a load of the same address came right before it.
    add({"-fno-vectorize", "-fno-slp-vectorize", "-mllvm", "-asan-instrumentation-with-call-threshold=0",
         "-mllvm", "-asan-opt-same-temp=0",
         "-fsanitize=alignment,array-bounds,integer-divide-by-zero,signed-integer-overflow,bool,return,"
         "unreachable"});
    for (const char* check :
         {"type_mismatch_v1", "out_of_bounds", "divrem_overflow", "add_overflow", "sub_overflow",
          "mul_overflow", "negate_overflow", "load_invalid_value", "missing_return", "builtin_unreachable"}) {
      options.push_back(std::string("-Wl,--wrap=__ubsan_handle_") + check);
    }
  } else {
    add({"-O2", "-mllvm", "-asan-instrument-reads=0", "-mllvm", "-asan-instrument-writes=0", "-mllvm",
         "-asan-instrument-atomics=0", "-mllvm", "-asan-instrument-byval=0"});
  }
  return options;
}

std::vector<std::string> strict_options() {
  return {METAL_SIM_CLANG,
          "-x",
          "clcpp",
          "-cl-std=clc++2021",
          "-cl-no-stdinc",
          "-Xclang",
          "-cl-ext=-all,+cl_khr_fp16,+__opencl_c_program_scope_global_variables",
          "--target=x86_64-linux-gnu",
          "-DMETAL_SIM_STRICT",
          "-fsyntax-only",
          "-w",
          "-ferror-limit=0",
          "-fno-color-diagnostics",
          "-I",
          METAL_SIM_SHIM_DIR};
}

namespace {

// What looks at a translated source and makes nothing of it.
std::vector<std::string> syntax_options(std::vector<std::string> more) {
  std::vector<std::string> options = {METAL_SIM_CLANG,
                                      "-x",
                                      "clcpp",
                                      "-cl-std=clc++2021",
                                      "-cl-no-stdinc",
                                      "-Xclang",
                                      "-cl-ext=+cl_khr_fp16,+__opencl_c_program_scope_global_variables",
                                      "--target=x86_64-linux-gnu",
                                      "-fsyntax-only",
                                      "-fno-color-diagnostics",
                                      "-I",
                                      METAL_SIM_SHIM_DIR};
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

}  // namespace

std::vector<std::string> dump_options() {
  return syntax_options({"-w", "-Xclang", "-ast-dump"});
}

std::vector<std::string> pedantic_options() {
  // The markers of lines are the preprocessor's, not the source's.
  return syntax_options({"-Wpedantic", "-Wgnu", "-Wno-gnu-line-marker"});
}

}  // namespace emberline::metal_sim
