#include "kernels/manifest.h"

#include <array>
#include <sstream>
#include <utility>

#include "kernels/shim/metal_sim/abi.h"

namespace emberline::metal_sim {
namespace {

struct TypeName {
  ConstantType type;
  const char* name;
  std::size_t bytes;
};
constexpr std::array kTypes = {
    TypeName{ConstantType::kBool, "bool", 1},     TypeName{ConstantType::kChar, "char", 1},
    TypeName{ConstantType::kUChar, "uchar", 1},   TypeName{ConstantType::kShort, "short", 2},
    TypeName{ConstantType::kUShort, "ushort", 2}, TypeName{ConstantType::kInt, "int", 4},
    TypeName{ConstantType::kUInt, "uint", 4},     TypeName{ConstantType::kHalf, "half", 2},
    TypeName{ConstantType::kFloat, "float", 4},
};

// Other spellings of the same types.
constexpr std::array kSpellings = {
    std::pair<std::string_view, std::string_view>{"uint8_t", "uchar"},
    std::pair<std::string_view, std::string_view>{"int8_t", "char"},
    std::pair<std::string_view, std::string_view>{"uint16_t", "ushort"},
    std::pair<std::string_view, std::string_view>{"int16_t", "short"},
    std::pair<std::string_view, std::string_view>{"uint32_t", "uint"},
    std::pair<std::string_view, std::string_view>{"int32_t", "int"},
    std::pair<std::string_view, std::string_view>{"unsigned", "uint"},
    std::pair<std::string_view, std::string_view>{"unsigned int", "uint"},
};

Status not_a_manifest(const std::string& line) {
  return {ErrorCode::kInvalidArgument,
          "The library was compiled by another version of the simulator ('" + line + "'): compile it again."};
}

}  // namespace

const char* constant_type_name(ConstantType type) {
  for (const TypeName& entry : kTypes) {
    if (entry.type == type) return entry.name;
  }
  return "";
}

bool parse_constant_type(std::string_view name, ConstantType& type) {
  for (const auto& [spelling, meaning] : kSpellings) {
    if (name == spelling) name = meaning;
  }
  for (const TypeName& entry : kTypes) {
    if (name == entry.name) {
      type = entry.type;
      return true;
    }
  }
  return false;
}

std::size_t constant_bytes(ConstantType type) {
  for (const TypeName& entry : kTypes) {
    if (entry.type == type) return entry.bytes;
  }
  return 0;
}

std::string write_manifest(const Manifest& manifest) {
  std::ostringstream out;
  out << "version " << METAL_SIM_ABI_VERSION << " " << (manifest.checked ? "checked" : "unchecked") << "\n";
  for (const ConstantInfo& constant : manifest.constants) {
    out << "constant " << constant.index << " " << constant_type_name(constant.type) << " " << constant.name
        << "\n";
  }
  for (const KernelInfo& kernel : manifest.kernels) {
    out << "kernel " << kernel.name << " " << kernel.max_threads << "\n";
    for (const BufferParameter& buffer : kernel.buffers) {
      out << "buffer " << buffer.index << " " << (buffer.writable ? "writable" : "readonly") << " "
          << (buffer.condition.empty() ? "-" : buffer.condition) << " " << buffer.name << "\n";
    }
    for (const ThreadgroupParameter& parameter : kernel.threadgroup) {
      out << "threadgroup " << parameter.index << " " << parameter.name << "\n";
    }
  }
  return out.str();
}

Result<Manifest> read_manifest(std::string_view text) {
  Manifest manifest;
  std::istringstream lines{std::string(text)};
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string item, mode, name;
    int version = 0;
    words >> item;
    if (item == "version" && words >> version >> mode && version == METAL_SIM_ABI_VERSION) {
      manifest.checked = mode == "checked";
    } else if (ConstantInfo constant;
               item == "constant" && words >> constant.index >> mode >> constant.name) {
      if (!parse_constant_type(mode, constant.type)) return not_a_manifest(line);
      manifest.constants.push_back(constant);
    } else if (KernelInfo kernel; item == "kernel" && words >> kernel.name >> kernel.max_threads) {
      manifest.kernels.push_back(kernel);
    } else if (BufferParameter buffer; item == "buffer" && !manifest.kernels.empty() &&
                                       words >> buffer.index >> mode >> buffer.condition >> buffer.name) {
      if (buffer.index >= kBufferSlots) return not_a_manifest(line);
      buffer.writable = mode == "writable";
      if (buffer.condition == "-") buffer.condition.clear();
      manifest.kernels.back().buffers.push_back(buffer);
    } else if (ThreadgroupParameter parameter; item == "threadgroup" && !manifest.kernels.empty() &&
                                               words >> parameter.index >> parameter.name) {
      if (parameter.index >= kThreadgroupSlots) return not_a_manifest(line);
      manifest.kernels.back().threadgroup.push_back(parameter);
    } else {
      return not_a_manifest(line);
    }
  }
  return manifest;
}

}  // namespace emberline::metal_sim
