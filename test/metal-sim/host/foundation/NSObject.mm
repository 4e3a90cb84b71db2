// The root class. Compiled without ARC: it is what ARC stands on.
#import <Foundation/Foundation.h>

#include "host/runtime/classes.h"
#include "host/runtime/references.h"

namespace objc = emberline::metal_sim::objc;

extern "C" id objc_retain(id object);
extern "C" void objc_release(id object);
extern "C" id objc_autorelease(id object);

static objc::Object* runtime_object(id object) {
  return (objc::Object*)object;
}
static objc::Class* runtime_class(Class of) {
  return (objc::Class*)of;
}

@implementation NSObject
+ (instancetype)alloc {
  return (id)objc::allocate(runtime_class((Class)self));
}
+ (instancetype)new {
  return [[self alloc] init];
}
+ (Class)class {
  return (Class)self;
}
- (instancetype)init {
  return self;
}
- (void)dealloc {
  objc::destroy(runtime_object(self));
}
- (instancetype)retain {
  return objc_retain(self);
}
- (oneway void)release {
  objc_release(self);
}
- (instancetype)autorelease {
  return objc_autorelease(self);
}
- (id)copy {
  return [(id<NSCopying>)self copyWithZone:nil];
}
- (BOOL)isEqual:(id)object {
  return self == object;
}
- (NSUInteger)hash {
  return (NSUInteger)self >> 4;
}
- (Class)class {
  return (Class)objc::class_of(runtime_object(self));
}
- (BOOL)isKindOfClass:(Class)aClass {
  for (const objc::Class* at = objc::class_of(runtime_object(self)); at != nullptr; at = at->superclass) {
    if (at == runtime_class(aClass)) return YES;
  }
  return NO;
}
- (BOOL)respondsToSelector:(SEL)aSelector {
  const auto* selector = (const objc::Selector*)(void*)aSelector;
  return objc::find_method(objc::class_of(runtime_object(self)), objc::unique_name(selector->name)) !=
         nullptr;
}
- (NSString*)description {
  return [NSString stringWithFormat:@"<%s: %p>", objc::class_of(runtime_object(self))->name, (void*)self];
}
@end
