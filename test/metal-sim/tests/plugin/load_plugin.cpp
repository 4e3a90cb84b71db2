// Opens the plugin as Node opens an addon: with its symbols kept to itself. Arguments: the plugin, the
// kernels.
#include <dlfcn.h>

#include <cstdio>

int main(int, char** arguments) {
  void* plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const auto double_21 = reinterpret_cast<int (*)(const char*)>(dlsym(plugin, "double_21"));
  const int doubled = double_21 == nullptr ? -3 : double_21(arguments[2]);
  std::printf("%d\n", doubled);
  return doubled == 42 ? 0 : 1;
}
