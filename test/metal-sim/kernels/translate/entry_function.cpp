#include "kernels/translate/entry_function.h"

#include <array>
#include <charconv>

namespace emberline::metal_sim {
namespace {

// Attributes that give a thread one number, or up to three: fields of metal_sim_thread.
constexpr std::array<std::string_view, 7> kPositions = {"thread_position_in_threadgroup",
                                                        "threadgroup_position_in_grid",
                                                        "thread_position_in_grid",
                                                        "threads_per_threadgroup",
                                                        "dispatch_threads_per_threadgroup",
                                                        "threadgroups_per_grid",
                                                        "threads_per_grid"};
constexpr std::array<std::string_view, 5> kNumbers = {
    "thread_index_in_threadgroup", "thread_index_in_simdgroup", "simdgroup_index_in_threadgroup",
    "simdgroups_per_threadgroup", "dispatch_simdgroups_per_threadgroup"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::string_view known : names) {
    if (known == name) return true;
  }
  return false;
}

bool mentions(std::string_view type, std::string_view word) {
  std::size_t at = 0;
  for (const Token& token : tokenize(type)) at += token.is(word) ? 1 : 0;
  return at != 0;
}

// `t`'s field as a value of `type`: uint, ushort, uint2, ...
std::string position_argument(std::string_view field, std::string_view type) {
  std::string scalar(type);
  std::size_t count = 1;
  if (scalar.back() == '2' || scalar.back() == '3') {
    count = static_cast<std::size_t>(scalar.back() - '0');
    scalar.pop_back();
  }
  std::string argument = count == 1 ? "" : "metal_sim_" + std::string(type) + "(";
  for (std::size_t i = 0; i < count; ++i) {
    argument +=
        (i != 0 ? ", " : "") + ("(" + scalar + ")t->") + std::string(field) + "[" + std::to_string(i) + "]";
  }
  return argument + (count == 1 ? "" : ")");
}

// What `b`'s field holds, as a pointer or reference of `type`.
std::string bound_argument(const char* field, std::uint32_t index, std::string_view type) {
  const std::string address = std::string("b->") + field + "[" + std::to_string(index) + "]";
  if (type.back() == '&') return "*(" + std::string(type.substr(0, type.size() - 1)) + "*)" + address;
  return "(" + std::string(type) + ")" + address;
}

}  // namespace

Result<EntryFunction> make_entry_function(std::string_view source, const Kernel& kernel) {
  EntryFunction entry;
  entry.info.name = kernel.name;
  entry.info.max_threads = kernel.max_threads;
  std::string arguments;
  for (const Parameter& parameter : kernel.parameters) {
    const auto refuse = [&](const std::string& what) {
      return Status(ErrorCode::kInvalidArgument, place_of(source, parameter.offset) + ": error: parameter '" +
                                                     parameter.name + "' of kernel " + kernel.name + " " +
                                                     what);
    };
    const Attribute* buffer = find_attribute(parameter.attributes, "buffer");
    const Attribute* threadgroup = find_attribute(parameter.attributes, "threadgroup");
    std::string argument;
    if (buffer != nullptr || threadgroup != nullptr) {
      const std::string& text = (buffer != nullptr ? buffer : threadgroup)->argument;
      std::uint32_t index = 0;
      const auto parsed = std::from_chars(text.data(), text.data() + text.size(), index);
      if (parsed.ec != std::errc() || index >= kBufferSlots) return refuse("has no index below 31");
      if (parameter.type.back() != '*' && parameter.type.back() != '&')
        return refuse("is no pointer or reference");
      argument = bound_argument(buffer != nullptr ? "buffer" : "threadgroup_memory", index, parameter.type);
      const bool constant = mentions(parameter.type, "constant");
      if (buffer != nullptr && !constant && !mentions(parameter.type, "device")) {
        return refuse("is neither in device nor in constant memory");
      }
      if (threadgroup != nullptr && !mentions(parameter.type, "threadgroup")) {
        return refuse("is not in threadgroup memory");
      }
      if (buffer != nullptr) {
        const Attribute* condition = find_attribute(parameter.attributes, "function_constant");
        entry.info.buffers.push_back({parameter.name, index, !constant && !mentions(parameter.type, "const"),
                                      condition != nullptr ? condition->argument : ""});
      } else {
        entry.info.threadgroup.push_back({parameter.name, index});
      }
    } else {
      for (const Attribute& attribute : parameter.attributes) {
        if (contains(kPositions, attribute.name))
          argument = position_argument(attribute.name, parameter.type);
        if (contains(kNumbers, attribute.name)) argument = "(" + parameter.type + ")t->" + attribute.name;
        if (attribute.name == "threads_per_simdgroup") argument = std::to_string(kSimdWidth);
      }
      if (argument.empty()) return refuse("has no attribute that the simulator knows");
    }
    arguments += (arguments.empty() ? "" : ", ") + argument;
  }
  entry.text = "extern \"C\" METAL_SIM_ENTRY void metal_sim_run_" + kernel.name +
               "(const thread metal_sim_bindings* b, const thread metal_sim_thread* t) { " + kernel.name +
               "(" + arguments + "); }\n";
  return entry;
}

}  // namespace emberline::metal_sim
