// The functions of Node-API on Windows, for compilers that cannot delay the loading of a library as
// Microsoft's can. An import library would bind them to node.exe, but the host is Code.exe: they are looked
// up in the program that loads the addon. The calls go through the pointers that an import library would have
// had, `__imp_NAME`.
#include <windows.h>

#include <iterator>

// EMBERLINE_NODE_FUNCTION(NAME) a line, written by CMakeLists.txt from the list of symbols that comes with
// Node-API's headers.
#define EMBERLINE_NODE_FUNCTION(name) \
  extern "C" FARPROC __imp_##name;    \
  FARPROC __imp_##name = nullptr;
#include "addon/node_functions.inc"
#undef EMBERLINE_NODE_FUNCTION

namespace {

struct NodeFunction {
  const char* name;
  FARPROC* address;
};

#define EMBERLINE_NODE_FUNCTION(name) {#name, &__imp_##name},
constexpr NodeFunction kNodeFunctions[] = {
#include "addon/node_functions.inc"
};
#undef EMBERLINE_NODE_FUNCTION

/** Node itself, Electron, or the library in which either may keep what it exports. */
void look_up_node_functions() {
  const HMODULE hosts[] = {GetModuleHandleW(nullptr), GetModuleHandleW(L"libnode.dll"),
                           GetModuleHandleW(L"node.dll")};
  for (const NodeFunction& function : kNodeFunctions) {
    // Those newer than the version that the addon asks for may be missing; nothing calls them.
    for (const HMODULE host : hosts) {
      if (host != nullptr && *function.address == nullptr)
        *function.address = GetProcAddress(host, function.name);
    }
  }
}

}  // namespace

/** False, which ends the loading with an error, in a program that has no Node-API. */
BOOL WINAPI DllMain(HINSTANCE, DWORD reason, LPVOID) {
  if (reason != DLL_PROCESS_ATTACH) return TRUE;
  look_up_node_functions();
  return kNodeFunctions[0].address != nullptr && *kNodeFunctions[0].address != nullptr;
}
