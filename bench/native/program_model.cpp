#include "program_model.h"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#if defined(EMBERLINE_METAL)
#include "device/metal/chip.h"
#include "device/metal/metal_device.h"
#endif

namespace emberline {

std::optional<ProgramArguments> read_arguments(int count, const char* const* arguments) {
  if (count != 3 && count != 5 && count != 6) return std::nullopt;
  ProgramArguments read;
  read.model = arguments[1];
  read.threads = std::atoi(arguments[2]);
  if (count == 3) return read;
  const std::string_view device = arguments[3], skip = arguments[4];
  if (device != "metal" || (skip != "return" && skip != "indirect")) return std::nullopt;
  read.metal = true;
  read.indirect = skip == "indirect";
  if (count == 6) read.library = arguments[5];
  return read;
}

#if defined(EMBERLINE_METAL)

namespace {

Result<std::shared_ptr<Model>> load_on_metal(const ProgramArguments& arguments, const ModelOptions& options) {
  MetalDeviceOptions metal;
  metal.library_path = arguments.library;
  metal.skip = arguments.indirect ? ChainSkip::kIndirect : ChainSkip::kReturn;
  Result<std::unique_ptr<Device>> device = make_metal_device(metal);
  if (!device.ok()) return device.error();
  return Model::load_on(std::move(device).value(), options);
}

}  // namespace

Result<double> stated_bandwidth(const Model& model) {
  // "metal, Apple M4 Pro, 20 GPU cores", where the number is known.
  constexpr std::string_view kPrefix = "metal, ";
  std::string_view rest = model.info().device;
  if (!rest.starts_with(kPrefix)) {
    return Status(ErrorCode::kDeviceUnavailable, "The bandwidth is stated for Metal devices alone.");
  }
  rest.remove_prefix(kPrefix.size());
  const std::string_view name = rest.substr(0, rest.find(','));
  rest.remove_prefix(name.size());
  if (rest.starts_with(", ")) rest.remove_prefix(2);
  std::uint32_t cores = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), cores);
  return 1e9 * metal::chip_settings(name, cores).bandwidth;
}

#else

namespace {

Result<std::shared_ptr<Model>> load_on_metal(const ProgramArguments&, const ModelOptions& options) {
  return Model::load(options);  // which says that this build has no such device
}

}  // namespace

Result<double> stated_bandwidth(const Model&) {
  return Status(ErrorCode::kDeviceUnavailable, "The bandwidth is stated for Metal devices alone.");
}

#endif

Result<std::shared_ptr<Model>> load_model(const ProgramArguments& arguments) {
  ModelOptions options;
  options.path = arguments.model;
  options.threads = arguments.threads;
  options.device = arguments.metal ? "metal" : "cpu";
  return arguments.metal ? load_on_metal(arguments, options) : Model::load(options);
}

}  // namespace emberline
