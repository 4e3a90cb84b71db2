#import <Foundation/Foundation.h>

#include "host/foundation/strings.h"

using namespace emberline::metal_sim;

@implementation NSURL {
  NSString* _path;
}
@synthesize path = _path;

+ (NSURL*)fileURLWithPath:(NSString*)path {
  return [[NSURL alloc] initFileURLWithPath:path];
}
+ (NSURL*)fileURLWithPath:(NSString*)path isDirectory:(BOOL)isDir {
  return [[NSURL alloc] initFileURLWithPath:path];
}
- (instancetype)initFileURLWithPath:(NSString*)path {
  if ((self = [super init])) _path = [path copy];
  return self;
}
- (id)copyWithZone:(NSZone*)zone {
  return self;
}
- (BOOL)isFileURL {
  return YES;
}
- (NSString*)absoluteString {
  return [@"file://" stringByAppendingString:_path];
}
- (NSString*)lastPathComponent {
  return _path.lastPathComponent;
}
- (const char*)fileSystemRepresentation {
  return _path.UTF8String;
}
- (NSURL*)URLByDeletingLastPathComponent {
  return [NSURL fileURLWithPath:_path.stringByDeletingLastPathComponent];
}
- (NSURL*)URLByAppendingPathComponent:(NSString*)pathComponent {
  return [NSURL fileURLWithPath:[_path stringByAppendingPathComponent:pathComponent]];
}
- (NSURL*)URLByAppendingPathExtension:(NSString*)pathExtension {
  NSString* path = make_string(text_of(_path) + "." + text_of(pathExtension));
  return [NSURL fileURLWithPath:path];
}
- (BOOL)isEqual:(id)object {
  return [object isKindOfClass:[NSURL class]] && [_path isEqualToString:((NSURL*)object).path];
}
- (NSString*)description {
  return self.absoluteString;
}
@end
