// The Objective-C runtime and Foundation's stand-ins.
#import <Foundation/Foundation.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/simulated_mac.h"

using namespace emberline::metal_sim;
using Runtime = SimulatedMac;

extern "C" void objc_release(void* object);
extern "C" void* objc_retain(void* object);

@interface Witness : NSObject {
 @public
  int* deaths;
  std::string text;
}
@property(copy) NSString* name;
@end
@implementation Witness
- (void)dealloc {
  ++*deaths;
}
- (double)half:(float)value plus:(int)a b:(int)b c:(int)c d:(int)d e:(int)e {
  return value / 2 + a + b + c + d + e;
}
- (NSOperatingSystemVersion)large {
  return {1, 2, 3};
}
@end

@interface YoungerWitness : Witness {
 @public
  std::vector<int> more;
}
@end
@implementation YoungerWitness
- (double)half:(float)value plus:(int)a b:(int)b c:(int)c d:(int)d e:(int)e {
  return 1000 + [super half:value plus:a b:b c:c d:d e:e];
}
@end

TEST_F(Runtime, SendsMessagesWithArgumentsOfEveryKind) {
  int deaths = 0;
  @autoreleasepool {
    YoungerWitness* witness = [[YoungerWitness alloc] init];
    witness->deaths = &deaths;
    EXPECT_EQ([witness half:3 plus:1 b:2 c:3 d:4 e:5], 1016.5);
    EXPECT_EQ([witness large].patchVersion, 3);
    Witness* none = nil;
    EXPECT_EQ([none half:3 plus:1 b:2 c:3 d:4 e:5], 0);
    EXPECT_TRUE([witness isKindOfClass:[Witness class]]);
    EXPECT_FALSE([witness isKindOfClass:[NSString class]]);
    EXPECT_TRUE([witness respondsToSelector:@selector(large)]);
    EXPECT_FALSE([witness respondsToSelector:@selector(addObject:)]);
    EXPECT_EQ([YoungerWitness class], [witness class]);
  }
  EXPECT_EQ(deaths, 1);
}

TEST_F(Runtime, ConstructsAndDestroysMembersOfEveryClass) {
  int deaths = 0;
  YoungerWitness* witness = [[YoungerWitness alloc] init];
  witness->deaths = &deaths;
  witness->text = "a text that is too long for the string itself, and so lies on the heap";
  witness->more.assign(1000, 7);
  EXPECT_EQ(witness->more.size(), 1000u);
  @autoreleasepool {
    witness.name = [NSString stringWithFormat:@"%s", "name"];
    EXPECT_STREQ(witness.name.UTF8String, "name");
  }
  witness = nil;
  EXPECT_EQ(deaths, 1);
}

TEST_F(Runtime, WeakReferencesAreClearedAndCopied) {
  int deaths = 0;
  @autoreleasepool {
    Witness* strong = [[Witness alloc] init];
    strong->deaths = &deaths;
    __weak Witness* weak = strong;
    __weak Witness* other = weak;
    EXPECT_EQ(weak, strong);
    strong = nil;
    EXPECT_EQ(deaths, 1);
    EXPECT_EQ(weak, nil);
    EXPECT_EQ(other, nil);
  }
  EXPECT_EQ(deaths, 1);
  __weak Witness* weak = nil;
  @autoreleasepool {
    Witness* strong = [[Witness alloc] init];
    strong->deaths = &deaths;
    weak = strong;
  }
  EXPECT_EQ(weak, nil);
  EXPECT_EQ(deaths, 2);
}

TEST_F(Runtime, BlocksKeepWhatTheyCapture) {
  int deaths = 0;
  int (^kept)(void) = nil;
  {
    Witness* witness = [[Witness alloc] init];
    witness->deaths = &deaths;
    witness->text = "kept";
    __block int calls = 0;
    kept = ^{
      calls++;
      return witness->text == "kept" ? calls : -1;
    };
    EXPECT_EQ(kept(), 1);
  }
  EXPECT_EQ(kept(), 2);
  EXPECT_EQ(deaths, 0);
  int (^same)(void) = kept;
  kept = nil;
  EXPECT_EQ(same(), 3);
  same = nil;
  EXPECT_EQ(deaths, 1);
}

TEST_F(Runtime, NamesAnOverRelease) {
  int deaths = 0;
  Witness* witness = [[Witness alloc] init];
  witness->deaths = &deaths;
  void* address = (__bridge void*)witness;
  witness = nil;
  objc_release(address);
  expect_failure(FailureKind::kObjectiveC, "a Witness was released more often than retained");
  objc_retain(address);
  expect_failure(FailureKind::kObjectiveC, "a Witness was retained after its dealloc");
}

TEST_F(Runtime, NamesAMessageToADeallocatedObject) {
  int deaths = 0;
  Witness* witness = [[Witness alloc] init];
  witness->deaths = &deaths;
  Witness* __unsafe_unretained dangling = witness;
  witness = nil;
  [dangling large];
  expect_failure(FailureKind::kObjectiveC, "message 'large' sent to a Witness that was deallocated");
}

TEST_F(Runtime, CountsALeak) {
  int deaths = 0;
  Witness* witness = [[Witness alloc] init];
  witness->deaths = &deaths;
  void* address = objc_retain((__bridge void*)witness);  // what nobody releases
  witness = nil;
  EXPECT_EQ(live_objects_by_class()["Witness"], 1);
  objc_release(address);
  EXPECT_EQ(live_objects_by_class().count("Witness"), 0u);
  EXPECT_EQ(deaths, 1);
}

TEST_F(Runtime, NamesAnUnknownMessage) {
  id number = [[NSObject alloc] init];
  [(NSMutableArray*)number removeAllObjects];
  expect_failure(FailureKind::kObjectiveC, "a NSObject does not answer 'removeAllObjects'");
}

TEST_F(Runtime, NamesAnObjectAutoreleasedWithoutAPool) {
  NSString* text = [NSString stringWithUTF8String:"no pool is in place here"];
  expect_failure(FailureKind::kObjectiveC, "was autoreleased without a pool");
  objc_release((__bridge void*)text);  // what the pool would have done
}

TEST_F(Runtime, PoolsReleaseAtTheirEnd) {
  const long before = live_objects();
  @autoreleasepool {
    for (int i = 0; i < 100; i++) {
      @autoreleasepool {
        [NSString stringWithFormat:@"%d objects in an inner pool", i];
      }
    }
    EXPECT_EQ(live_objects(), before);
    NSString* outer = [NSString stringWithUTF8String:"one in the outer pool"];
    EXPECT_EQ(outer.length, 21u);
    EXPECT_EQ(live_objects(), before + 1);
  }
  EXPECT_EQ(live_objects(), before);
}

TEST_F(Runtime, StringLiteralsOfEveryKind) {
  EXPECT_STREQ(@"".UTF8String, "");
  EXPECT_STREQ(@"tiny".UTF8String, "tiny");
  EXPECT_STREQ(@"a literal that lies in memory".UTF8String, "a literal that lies in memory");
  EXPECT_STREQ(@"große Wörter 𝄞".UTF8String, "große Wörter 𝄞");
  EXPECT_EQ(@"große Wörter 𝄞".length, 15u);
  EXPECT_TRUE([@"tiny" isEqual:@"tiny"]);
  EXPECT_TRUE([@"file.metallib" hasSuffix:@".metallib"]);
}

TEST_F(Runtime, StringsAndFormats) {
  @autoreleasepool {
    NSString* text =
        [NSString stringWithFormat:@"%@ has %d of %lu, %.2f %% %s %05x", @"it", -3, 1ul << 40, 1.5, "x", 255];
    EXPECT_STREQ(text.UTF8String, "it has -3 of 1099511627776, 1.50 % x 000ff");
    EXPECT_STREQ([@"/a/b" stringByAppendingPathComponent:@"c"].UTF8String, "/a/b/c");
    EXPECT_STREQ(@"/a/b/c".lastPathComponent.UTF8String, "c");
    EXPECT_STREQ(@"/a/b/c".stringByDeletingLastPathComponent.UTF8String, "/a/b");
    NSString* bytes = [[NSString alloc] initWithBytes:"abcdef" length:3 encoding:NSUTF8StringEncoding];
    EXPECT_TRUE([bytes isEqualToString:@"abc"]);
    EXPECT_TRUE([[bytes copy] isEqual:bytes]);
  }
}

TEST_F(Runtime, NumbersAndCollections) {
  @autoreleasepool {
    EXPECT_EQ(@(1ull << 63).unsignedLongLongValue, 1ull << 63);
    EXPECT_EQ((@2.5).doubleValue, 2.5);
    EXPECT_TRUE((@YES).boolValue);
    NSDictionary* words = @{@"one" : @1, @"two" : @2};
    EXPECT_EQ([words[@"two"] intValue], 2);
    EXPECT_EQ(words[@"three"], nil);
    NSMutableArray* squares = [NSMutableArray array];
    for (int i = 0; i < 40; i++) [squares addObject:@(i * i)];
    int sum = 0;
    for (NSNumber* square in squares) sum += square.intValue;
    EXPECT_EQ(sum, 20540);
    EXPECT_EQ([squares[39] intValue], 1521);
    EXPECT_EQ(squares[40], nil);
    expect_failure(FailureKind::kObjectiveC, "read behind its end");
  }
}

TEST_F(Runtime, FilesAndFolders) {
  @autoreleasepool {
    const std::string folder =
        std::filesystem::temp_directory_path() / ("emberline-host-" + std::to_string(getpid()));
    NSURL* root = [NSURL fileURLWithPath:[NSString stringWithUTF8String:folder.c_str()]];
    NSURL* inner = [root URLByAppendingPathComponent:@"a/b"];
    NSFileManager* files = NSFileManager.defaultManager;
    NSError* error = nil;
    EXPECT_FALSE([files createDirectoryAtURL:inner
                 withIntermediateDirectories:NO
                                  attributes:nil
                                       error:&error]);
    EXPECT_NE(error, nil);
    EXPECT_TRUE([files createDirectoryAtURL:inner
                withIntermediateDirectories:YES
                                 attributes:nil
                                      error:nullptr]);
    NSURL* file = [inner URLByAppendingPathComponent:@"data"];
    NSData* data = [NSData dataWithBytes:"bytes" length:5];
    EXPECT_TRUE([data writeToFile:file.path options:NSDataWritingAtomic error:nullptr]);
    EXPECT_EQ([NSData dataWithContentsOfURL:file].length, 5u);
    EXPECT_TRUE([files moveItemAtURL:file toURL:[file URLByAppendingPathExtension:@"old"] error:nullptr]);
    EXPECT_FALSE([files fileExistsAtPath:file.path]);
    EXPECT_TRUE([files removeItemAtURL:root error:nullptr]);
    EXPECT_FALSE([files removeItemAtURL:root error:&error]);
    EXPECT_FALSE([files fileExistsAtPath:root.path]);
  }
}

TEST_F(Runtime, ErrorsSayWhatTheyAreAbout) {
  @autoreleasepool {
    NSError* error = [NSError errorWithDomain:NSPOSIXErrorDomain
                                         code:2
                                     userInfo:@{NSLocalizedDescriptionKey : @"No file."}];
    EXPECT_EQ(error.code, 2);
    EXPECT_TRUE([error.domain isEqualToString:NSPOSIXErrorDomain]);
    EXPECT_STREQ(error.localizedDescription.UTF8String, "No file.");
  }
}
