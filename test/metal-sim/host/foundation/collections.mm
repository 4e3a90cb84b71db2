// Arrays and dictionaries. Dictionaries here have a handful of keys: they are searched from front to back.
#import <Foundation/Foundation.h>

#include <utility>
#include <vector>

#include "host/control/failures.h"

using emberline::metal_sim::FailureKind;
using emberline::metal_sim::report_failure;

@implementation NSArray {
 @public
  std::vector<id> _items;
  unsigned long _changes;  // what a for-in loop watches
}
+ (instancetype)array {
  return [[self alloc] init];
}
+ (instancetype)arrayWithObject:(id)anObject {
  return [self arrayWithObjects:&anObject count:1];
}
+ (instancetype)arrayWithObjects:(const id[])objects count:(NSUInteger)cnt {
  NSArray* made = [[self alloc] init];
  made->_items.assign(objects, objects + cnt);
  return made;
}
- (id)copyWithZone:(NSZone*)zone {
  if (![self isKindOfClass:[NSMutableArray class]]) return self;
  NSArray* made = [[NSArray alloc] init];
  made->_items = _items;
  return made;
}
- (NSUInteger)count {
  return _items.size();
}
- (id)firstObject {
  return _items.empty() ? nil : _items.front();
}
- (id)lastObject {
  return _items.empty() ? nil : _items.back();
}
- (id)objectAtIndex:(NSUInteger)index {
  if (index < _items.size()) return _items[index];
  report_failure(FailureKind::kObjectiveC, "an array was read behind its end");
  return nil;
}
- (id)objectAtIndexedSubscript:(NSUInteger)idx {
  return [self objectAtIndex:idx];
}
- (BOOL)containsObject:(id)anObject {
  for (id item : _items) {
    if ([item isEqual:anObject]) return YES;
  }
  return NO;
}
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState*)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)len {
  const std::size_t from = state->state;
  const std::size_t taken = std::min<std::size_t>(len, _items.size() - from);
  for (std::size_t i = 0; i < taken; i++) buffer[i] = _items[from + i];
  state->state = from + taken;
  state->itemsPtr = buffer;
  state->mutationsPtr = &_changes;
  return taken;
}
@end

@implementation NSMutableArray
+ (instancetype)arrayWithCapacity:(NSUInteger)numItems {
  return [self array];
}
- (void)addObject:(id)anObject {
  _items.push_back(anObject);
  _changes++;
}
- (void)removeAllObjects {
  _items.clear();
  _changes++;
}
@end

@implementation NSDictionary {
 @public
  std::vector<std::pair<id, id>> _entries;  // key, object
}
+ (instancetype)dictionary {
  return [[self alloc] init];
}
+ (instancetype)dictionaryWithObject:(id)object forKey:(id)key {
  return [self dictionaryWithObjects:&object forKeys:&key count:1];
}
+ (instancetype)dictionaryWithObjects:(const id[])objects
                              forKeys:(const id<NSCopying>[])keys
                                count:(NSUInteger)cnt {
  NSDictionary* made = [[self alloc] init];
  for (NSUInteger i = 0; i < cnt; i++) made->_entries.emplace_back([(id)keys[i] copy], objects[i]);
  return made;
}
- (id)copyWithZone:(NSZone*)zone {
  if (![self isKindOfClass:[NSMutableDictionary class]]) return self;
  NSDictionary* made = [[NSDictionary alloc] init];
  made->_entries = _entries;
  return made;
}
- (NSUInteger)count {
  return _entries.size();
}
- (NSArray*)allKeys {
  NSMutableArray* keys = [NSMutableArray array];
  for (const auto& [key, object] : _entries) [keys addObject:key];
  return keys;
}
- (id)objectForKey:(id)aKey {
  for (const auto& [key, object] : _entries) {
    if ([key isEqual:aKey]) return object;
  }
  return nil;
}
- (id)objectForKeyedSubscript:(id)key {
  return [self objectForKey:key];
}
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState*)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)len {
  const std::size_t from = state->state;
  const std::size_t taken = std::min<std::size_t>(len, _entries.size() - from);
  for (std::size_t i = 0; i < taken; i++) buffer[i] = _entries[from + i].first;
  state->state = from + taken;
  state->itemsPtr = buffer;
  state->mutationsPtr = &state->extra[0];
  return taken;
}
@end

@implementation NSMutableDictionary
- (void)setObject:(id)anObject forKey:(id)aKey {
  for (auto& [key, object] : _entries) {
    if ([key isEqual:aKey]) {
      object = anObject;
      return;
    }
  }
  _entries.emplace_back([aKey copy], anObject);
}
- (void)setObject:(id)obj forKeyedSubscript:(id)key {
  [self setObject:obj forKey:key];
}
@end
