// metalc [--unchecked] [-I folder]... -o library.so source.metal: compiles a Metal source for the simulator.
//
// metalc --cached [--unchecked] [-I folder]... -o library.so source.metal: the same, and a program that
// compiles this text on the simulated host finds it compiled.
//
// metalc --lint [-I folder]... source.metal: prints what Apple's compiler would refuse, and fails if there is
// any.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "kernels/compiler.h"
#include "kernels/lint/lint.h"

namespace {

int fail(const std::string& what) {
  std::fprintf(stderr, "metalc: %s\n", what.c_str());
  return 1;
}

int lint(const std::string& source, const std::string& name,
         const emberline::metal_sim::CompileOptions& options) {
  const auto findings = emberline::metal_sim::lint(source, name, options);
  if (!findings.ok()) return fail(findings.error().message());
  for (const std::string& finding : findings.value()) std::puts(finding.c_str());
  return findings.value().empty() ? 0 : 1;
}

// Writes what the cache holds of the source to `output`.
int copy_cached(const std::string& output, const std::string& source, const std::string& name,
                const emberline::metal_sim::CompileOptions& options) {
  const auto library = emberline::metal_sim::cached_library(source, name, options);
  if (!library.ok()) return fail(library.error().message());
  std::error_code error;
  std::filesystem::copy_file(library.value(), output, std::filesystem::copy_options::overwrite_existing,
                             error);
  return error ? fail("cannot write " + output) : 0;
}

}  // namespace

int main(int argc, char** argv) {
  emberline::metal_sim::CompileOptions options;
  std::string input, output;
  bool only_lint = false, cached = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const bool has_value = i + 1 < argc;
    if (argument == "--unchecked") {
      options.checked = false;
    } else if (argument == "--cached") {
      cached = true;
    } else if (argument == "--lint") {
      only_lint = true;
    } else if (argument == "-I" && has_value) {
      options.include_folders.emplace_back(argv[++i]);
    } else if (argument == "-o" && has_value) {
      output = argv[++i];
    } else if (input.empty() && !argument.starts_with("-")) {
      input = argument;
    } else {
      return fail("unknown argument " + std::string(argument));
    }
  }
  if (input.empty() || output.empty() != only_lint)
    return fail("usage: metalc [--cached] [--unchecked] [-I folder]... -o library.so source.metal");
  std::ifstream in(input, std::ios::binary);
  if (!in) return fail("cannot read " + input);
  const std::string source{std::istreambuf_iterator<char>(in), {}};
  if (only_lint) return lint(source, input, options);
  if (cached) return copy_cached(output, source, input, options);
  const auto compiled = emberline::metal_sim::compile_to(output, source, input, options);
  if (!compiled.ok()) return fail(compiled.error().message());
  std::fputs(compiled.value().c_str(), stderr);
  return 0;
}
