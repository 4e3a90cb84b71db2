// Files, folders and bytes.
#import <Foundation/Foundation.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "host/foundation/strings.h"

namespace fs = std::filesystem;
using namespace emberline::metal_sim;

@implementation NSFileManager
+ (NSFileManager*)defaultManager {
  return [[NSFileManager alloc] init];
}
- (BOOL)fileExistsAtPath:(NSString*)path {
  return [self fileExistsAtPath:path isDirectory:nullptr];
}
- (BOOL)fileExistsAtPath:(NSString*)path isDirectory:(BOOL*)isDirectory {
  std::error_code failed;
  if (isDirectory != nullptr) *isDirectory = fs::is_directory(text_of(path), failed);
  return fs::exists(text_of(path), failed);
}
- (BOOL)createDirectoryAtPath:(NSString*)path
    withIntermediateDirectories:(BOOL)createIntermediates
                     attributes:(NSDictionary*)attributes
                          error:(NSError**)error {
  std::error_code failed;
  if (createIntermediates) {
    fs::create_directories(text_of(path), failed);
  } else if (!fs::create_directory(text_of(path), failed) && !failed) {
    failed = std::make_error_code(std::errc::file_exists);
  }
  if (failed) set_error(error, NSPOSIXErrorDomain, failed.value(), failed.message());
  return !failed;
}
- (BOOL)createDirectoryAtURL:(NSURL*)url
    withIntermediateDirectories:(BOOL)createIntermediates
                     attributes:(NSDictionary*)attributes
                          error:(NSError**)error {
  return [self createDirectoryAtPath:url.path
         withIntermediateDirectories:createIntermediates
                          attributes:attributes
                               error:error];
}
- (BOOL)removeItemAtPath:(NSString*)path error:(NSError**)error {
  std::error_code failed;
  if (fs::remove_all(text_of(path), failed) == 0 && !failed) {
    failed = std::make_error_code(std::errc::no_such_file_or_directory);
  }
  if (failed) set_error(error, NSPOSIXErrorDomain, failed.value(), failed.message());
  return !failed;
}
- (BOOL)removeItemAtURL:(NSURL*)URL error:(NSError**)error {
  return [self removeItemAtPath:URL.path error:error];
}
- (BOOL)moveItemAtPath:(NSString*)srcPath toPath:(NSString*)dstPath error:(NSError**)error {
  // Unlike rename, this never replaces what is there.
  std::error_code failed;
  if (fs::exists(text_of(dstPath), failed)) {
    failed = std::make_error_code(std::errc::file_exists);
  } else {
    fs::rename(text_of(srcPath), text_of(dstPath), failed);
  }
  if (failed) set_error(error, NSPOSIXErrorDomain, failed.value(), failed.message());
  return !failed;
}
- (BOOL)moveItemAtURL:(NSURL*)srcURL toURL:(NSURL*)dstURL error:(NSError**)error {
  return [self moveItemAtPath:srcURL.path toPath:dstURL.path error:error];
}
@end

@implementation NSData {
  std::string _bytes;
}
+ (instancetype)dataWithBytes:(const void*)bytes length:(NSUInteger)length {
  NSData* made = [[NSData alloc] init];
  made->_bytes.assign(static_cast<const char*>(bytes), length);
  return made;
}
+ (instancetype)dataWithContentsOfFile:(NSString*)path {
  std::ifstream file(path.UTF8String, std::ios::binary);
  if (!file) return nil;
  std::ostringstream text;
  text << file.rdbuf();
  NSData* made = [[NSData alloc] init];
  made->_bytes = text.str();
  return made;
}
+ (instancetype)dataWithContentsOfURL:(NSURL*)url {
  return [self dataWithContentsOfFile:url.path];
}
- (id)copyWithZone:(NSZone*)zone {
  return self;
}
- (NSUInteger)length {
  return _bytes.size();
}
- (const void*)bytes {
  return _bytes.data();
}
- (BOOL)writeToFile:(NSString*)path options:(NSDataWritingOptions)writeOptionsMask error:(NSError**)errorPtr {
  const std::string target = text_of(path);
  const std::string written = (writeOptionsMask & NSDataWritingAtomic) != 0 ? target + ".new" : target;
  std::ofstream file(written, std::ios::binary);
  file.write(_bytes.data(), static_cast<std::streamsize>(_bytes.size()));
  file.close();
  std::error_code failed;
  if (!file) failed = std::make_error_code(std::errc::io_error);
  if (!failed && written != target) fs::rename(written, target, failed);
  if (failed) set_error(errorPtr, NSPOSIXErrorDomain, failed.value(), failed.message());
  return !failed;
}
@end
