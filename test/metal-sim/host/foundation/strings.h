// Between NSString and std::string, for the stand-ins.
#pragma once

#import <Foundation/Foundation.h>

#include <cstdarg>
#include <string>

namespace emberline::metal_sim {

// Empty for nil.
std::string text_of(NSString* string);

// Retained for the caller, so that it needs no pool.
NSString* make_string(std::string text) NS_RETURNS_RETAINED;

// As NSLog and stringWithFormat: understand a format.
std::string formatted(NSString* format, va_list arguments);

// An error whose localizedDescription is `sentence`. Autoreleased.
NSError* make_error(NSErrorDomain domain, NSInteger code, const std::string& sentence);

// Where an API call returns its error, if the caller asked for it.
void set_error(NSError* __autoreleasing* to, NSErrorDomain domain, NSInteger code,
               const std::string& sentence);

}  // namespace emberline::metal_sim
