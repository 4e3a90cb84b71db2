// Formats: those of printf for numbers, text and pointers, and %@.
#include <cstdio>
#include <cstring>

#include "host/foundation/strings.h"

std::string emberline::metal_sim::formatted(NSString* format, va_list arguments) {
  std::string text;
  for (const char* at = format.UTF8String; *at != 0; at++) {
    if (*at != '%') {
      text += *at;
      continue;
    }
    std::string specification = "%";
    while (*++at != 0 && std::strchr("@%cdiuxXofgeGEsp", *at) == nullptr) specification += *at;
    if (*at == 0) break;
    specification += *at;
    const bool wide = specification.find_first_of("lzjtq") != std::string::npos;
    char number[512] = "";
    switch (*at) {
      case '%': text += '%'; break;
      case '@': {
        id object = va_arg(arguments, id);
        text += object == nil ? "(null)" : text_of([object description]);
        break;
      }
      case 's': {
        const char* word = va_arg(arguments, const char*);
        text += word == nullptr ? "(null)" : word;
        break;
      }
      case 'p': std::snprintf(number, sizeof number, "%p", va_arg(arguments, void*)); break;
      case 'f':
      case 'g':
      case 'e':
      case 'G':
      case 'E': std::snprintf(number, sizeof number, specification.c_str(), va_arg(arguments, double)); break;
      default:
        if (wide) {
          std::snprintf(number, sizeof number, specification.c_str(), va_arg(arguments, long));
        } else {
          std::snprintf(number, sizeof number, specification.c_str(), va_arg(arguments, int));
        }
    }
    text += number;
  }
  return text;
}

void NSLog(NSString* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const std::string text = emberline::metal_sim::formatted(format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "%s\n", text.c_str());
}
