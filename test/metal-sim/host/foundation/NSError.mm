#import <Foundation/Foundation.h>

#include "host/foundation/strings.h"

NSErrorDomain const NSCocoaErrorDomain = @"NSCocoaErrorDomain";
NSErrorDomain const NSPOSIXErrorDomain = @"NSPOSIXErrorDomain";
NSErrorUserInfoKey const NSLocalizedDescriptionKey = @"NSLocalizedDescription";
NSErrorUserInfoKey const NSUnderlyingErrorKey = @"NSUnderlyingError";

@implementation NSError
@synthesize domain = _domain, code = _code, userInfo = _userInfo;

+ (instancetype)errorWithDomain:(NSErrorDomain)domain code:(NSInteger)code userInfo:(NSDictionary*)dict {
  return [[self alloc] initWithDomain:domain code:code userInfo:dict];
}
- (instancetype)initWithDomain:(NSErrorDomain)domain code:(NSInteger)code userInfo:(NSDictionary*)dict {
  if ((self = [super init])) {
    _domain = [domain copy];
    _code = code;
    _userInfo = dict == nil ? [NSDictionary dictionary] : [dict copy];
  }
  return self;
}
- (NSString*)localizedDescription {
  NSString* said = _userInfo[NSLocalizedDescriptionKey];
  return said != nil ? said
                     : [NSString stringWithFormat:@"The operation couldn't be completed. (%@ error %ld.)",
                                                  _domain, _code];
}
- (NSString*)description {
  return [NSString
      stringWithFormat:@"Error Domain=%@ Code=%ld \"%@\"", _domain, _code, self.localizedDescription];
}
@end

NSError* emberline::metal_sim::make_error(NSErrorDomain domain, NSInteger code, const std::string& sentence) {
  NSString* text = make_string(sentence);
  return [NSError errorWithDomain:domain code:code userInfo:@{NSLocalizedDescriptionKey : text}];
}

void emberline::metal_sim::set_error(NSError* __autoreleasing* to, NSErrorDomain domain, NSInteger code,
                                     const std::string& sentence) {
  if (to != nullptr) *to = make_error(domain, code, sentence);
}
