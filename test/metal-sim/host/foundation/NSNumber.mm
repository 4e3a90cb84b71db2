#import <Foundation/Foundation.h>

// A number is kept as what it was made from: a real number, or an integer of 64 bits.
@implementation NSNumber {
  BOOL _isReal;
  double _real;
  long long _integer;
}

static NSNumber* make_integer(long long value) NS_RETURNS_RETAINED;
static NSNumber* make_integer(long long value) {
  NSNumber* made = [[NSNumber alloc] init];
  made->_integer = value;
  return made;
}
static NSNumber* make_real(double value) NS_RETURNS_RETAINED;
static NSNumber* make_real(double value) {
  NSNumber* made = [[NSNumber alloc] init];
  made->_isReal = YES;
  made->_real = value;
  return made;
}

+ (NSNumber*)numberWithBool:(BOOL)value {
  return make_integer(value ? 1 : 0);
}
+ (NSNumber*)numberWithInt:(int)value {
  return make_integer(value);
}
+ (NSNumber*)numberWithUnsignedInt:(unsigned int)value {
  return make_integer(value);
}
+ (NSNumber*)numberWithLong:(long)value {
  return make_integer(value);
}
+ (NSNumber*)numberWithUnsignedLong:(unsigned long)value {
  return make_integer((long long)value);
}
+ (NSNumber*)numberWithLongLong:(long long)value {
  return make_integer(value);
}
+ (NSNumber*)numberWithUnsignedLongLong:(unsigned long long)value {
  return make_integer((long long)value);
}
+ (NSNumber*)numberWithInteger:(NSInteger)value {
  return make_integer(value);
}
+ (NSNumber*)numberWithUnsignedInteger:(NSUInteger)value {
  return make_integer((long long)value);
}
+ (NSNumber*)numberWithFloat:(float)value {
  return make_real(value);
}
+ (NSNumber*)numberWithDouble:(double)value {
  return make_real(value);
}
- (id)copyWithZone:(NSZone*)zone {
  return self;
}
- (long long)longLongValue {
  return _isReal ? (long long)_real : _integer;
}
- (double)doubleValue {
  return _isReal ? _real : (double)_integer;
}
- (BOOL)boolValue {
  return _isReal ? _real != 0 : _integer != 0;
}
- (int)intValue {
  return (int)self.longLongValue;
}
- (unsigned int)unsignedIntValue {
  return (unsigned int)self.longLongValue;
}
- (long)longValue {
  return (long)self.longLongValue;
}
- (unsigned long)unsignedLongValue {
  return (unsigned long)self.longLongValue;
}
- (unsigned long long)unsignedLongLongValue {
  return (unsigned long long)self.longLongValue;
}
- (NSInteger)integerValue {
  return (NSInteger)self.longLongValue;
}
- (NSUInteger)unsignedIntegerValue {
  return (NSUInteger)self.longLongValue;
}
- (float)floatValue {
  return (float)self.doubleValue;
}
- (NSString*)stringValue {
  return _isReal ? [NSString stringWithFormat:@"%.17g", _real]
                 : [NSString stringWithFormat:@"%lld", _integer];
}
- (NSString*)description {
  return self.stringValue;
}
- (NSUInteger)hash {
  return (NSUInteger)self.longLongValue;
}
- (BOOL)isEqualToNumber:(NSNumber*)number {
  return _isReal || number->_isReal ? self.doubleValue == number.doubleValue : _integer == number->_integer;
}
- (BOOL)isEqual:(id)object {
  return [object isKindOfClass:[NSNumber class]] && [self isEqualToNumber:object];
}
@end
