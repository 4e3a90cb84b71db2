#include "kernels/lint/lint.h"

#include <sstream>

#include "kernels/clang_options.h"
#include "kernels/compiler.h"
#include "kernels/lint/address_spaces.h"
#include "kernels/lint/words.h"
#include "kernels/process.h"
#include "kernels/scratch_file.h"
#include "kernels/translate/translate.h"

namespace emberline::metal_sim {
namespace {

// An error with its notes. Copies of structures are legal in Metal, but without the generic address space
// clang has no constructors and assignments of its own for them; passed to a template, they show as a
// substitution that failed for no stated reason. (For other reasons, the source would not compile at all.)
bool is_structure_copy(const std::string& diagnostic) {
  for (const char* message : {"no matching constructor for initialization of", "no viable overloaded '='",
                              "implicitly-deleted", "functional-style cast"}) {
    if (diagnostic.find(message) < diagnostic.find('\n')) return true;
  }
  return diagnostic.find("no matching function") < diagnostic.find('\n') &&
         diagnostic.find("not viable") == std::string::npos;
}

// The errors among a compiler's diagnostics, one a line.
std::vector<std::string> errors_of(const std::string& output) {
  std::vector<std::string> diagnostics;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(": error: ") != std::string::npos) diagnostics.emplace_back();
    if (!diagnostics.empty()) diagnostics.back() += line + "\n";
  }
  std::vector<std::string> errors;
  for (const std::string& diagnostic : diagnostics) {
    if (diagnostic.starts_with(METAL_SIM_SHIM_DIR) || is_structure_copy(diagnostic)) continue;
    errors.push_back(diagnostic.substr(0, diagnostic.find('\n')));
  }
  return errors;
}

// The warnings among a compiler's diagnostics of extensions, one a line. The simulator's own headers use
// some.
std::vector<std::string> extensions_of(const std::string& output) {
  std::vector<std::string> warnings;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(": warning: ") != std::string::npos && !line.starts_with(METAL_SIM_SHIM_DIR))
      warnings.push_back(line);
  }
  return warnings;
}

}  // namespace

Result<std::vector<std::string>> lint(std::string_view source, const std::string& name,
                                      const CompileOptions& options) {
  Result<std::string> preprocessed = preprocess(source, name, options);
  if (!preprocessed.ok()) return preprocessed.error();
  std::vector<std::string> findings = find_foreign_words(preprocessed.value());
  Result<Translation> translation = translate(preprocessed.value(), true);
  if (!translation.ok()) return translation.error();

  const ScratchFile input(METAL_SIM_CACHE_DIR, ".cl");
  if (!input.write(translation.value().text)) {
    return Status(ErrorCode::kFileIo, "Cannot write '" + input.path() + "'.");
  }
  const auto run_on_input = [&](std::vector<std::string> command) {
    command.push_back(input.path());
    return run_process(command);
  };
  const auto add = [&](std::vector<std::string> more) {
    findings.insert(findings.end(), more.begin(), more.end());
  };
  add(errors_of(run_on_input(strict_options()).output));
  add(extensions_of(run_on_input(pedantic_options()).output));
  const ProcessResult dump = run_on_input(dump_options());
  // What does not compile at all has been found by the first pass, or else is told here.
  if (dump.status != 0 && findings.empty()) {
    return Status(ErrorCode::kInvalidArgument, "The source does not compile.");
  }
  add(find_generic_declarations(dump.output, METAL_SIM_SHIM_DIR));
  return findings;
}

}  // namespace emberline::metal_sim
