#include "base/mmap_file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "take.h"
#include "temporary_directory.h"

#if defined(_WIN32)
#include <windows.h>
#else
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#endif

namespace emberline {
namespace {

using emberline::testing::TemporaryDirectory;

void write_file(const std::filesystem::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

// An opener that fails as the system would, whoever runs the test.
#if defined(_WIN32)
constexpr int kDenied = ERROR_ACCESS_DENIED;
constexpr int kMissing = ERROR_FILE_NOT_FOUND;
constexpr int kBroken = ERROR_CRC;
#else
constexpr int kDenied = EACCES;
constexpr int kMissing = ENOENT;
constexpr int kBroken = EIO;
#endif
template <int error>
std::intptr_t failing_open(const std::string&, int& os_error) {
  os_error = error;
  return -1;
}

TEST(MappedFile, ShowsTheBytesOfAFile) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "a file", "some bytes");
  const Result<MappedFile> file = MappedFile::open(directory.file("a file"));
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_EQ(text_of(file.value()), "some bytes");
}

TEST(MappedFile, TakesAPathOutsideAscii) {
  const TemporaryDirectory directory;
  write_file(directory.path() / u8"modèle-模型-🔥", "bytes");
  const Result<MappedFile> file = MappedFile::open(directory.file("modèle-模型-🔥"));
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_EQ(text_of(file.value()), "bytes");
}

TEST(MappedFile, MapsAnEmptyFileAsNoBytes) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "empty", "");
  const Result<MappedFile> file = MappedFile::open(directory.file("empty"));
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_EQ(file.value().bytes().size(), 0u);
}

TEST(MappedFile, StaysInPlaceWhenMoved) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "one", "first");
  write_file(directory.path() / "two", "second");
  Result<MappedFile> one = MappedFile::open(directory.file("one"));
  Result<MappedFile> two = MappedFile::open(directory.file("two"));
  ASSERT_TRUE(one.ok() && two.ok());
  const std::uint8_t* const place = two.value().bytes().data();
  MappedFile moved(std::move(one).value());
  EXPECT_EQ(text_of(moved), "first");
  moved = std::move(two).value();
  EXPECT_EQ(moved.bytes().data(), place);
  EXPECT_EQ(text_of(moved), "second");
}

TEST(MappedFile, DiscardedBytesAreReadAgain) {
  const TemporaryDirectory directory;
  std::string content(100'000, ' ');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>('a' + i % 23);
  write_file(directory.file("file"), content);
  const MappedFile file = MappedFile::open(directory.file("file")).value();
  ASSERT_EQ(text_of(file), content);
  for (const auto& [from, size] :
       {std::pair<std::size_t, std::size_t>{0, 100'000}, {5'000, 90'000}, {17, 3}, {0, 0}}) {
    file.discard(file.bytes().subspan(from, size));
    EXPECT_EQ(text_of(file), content);
  }
}

TEST(MappedFile, RefusesAMissingFile) {
  const TemporaryDirectory directory;
  EXPECT_EQ(MappedFile::open(directory.file("none")).code(), ErrorCode::kFileNotFound);
  EXPECT_EQ(MappedFile::open("").code(), ErrorCode::kFileNotFound);
  EXPECT_EQ(MappedFile::open(std::string("a\0b", 3)).code(), ErrorCode::kFileNotFound);
}

TEST(MappedFile, RefusesADirectory) {
  const TemporaryDirectory directory;
  const Result<MappedFile> file = MappedFile::open(directory.file("."));
  EXPECT_EQ(file.code(), ErrorCode::kFileNotRegular);
}

TEST(MappedFile, TellsWhyOpeningFails) {
  EXPECT_EQ(MappedFile::open("model.gguf", &failing_open<kDenied>).code(), ErrorCode::kFileAccessDenied);
  EXPECT_EQ(MappedFile::open("model.gguf", &failing_open<kMissing>).code(), ErrorCode::kFileNotFound);
  EXPECT_EQ(MappedFile::open("model.gguf", &failing_open<kBroken>).code(), ErrorCode::kFileIo);
}

TEST(MappedFile, NamesThePathInItsErrors) {
  const Result<MappedFile> file = MappedFile::open("model.gguf", &failing_open<kDenied>);
  EXPECT_NE(file.error().message().find("model.gguf"), std::string::npos) << file.error().message();
}

#if !defined(_WIN32)
TEST(MappedFile, RefusesAPipeWithoutWaitingForItsWriter) {
  const TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo(directory.file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(MappedFile::open(directory.file("pipe")).code(), ErrorCode::kFileNotRegular);
}

TEST(MappedFile, RefusesASocket) {
  const TemporaryDirectory directory;
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_GE(socket, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, directory.file("s").c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(MappedFile::open(directory.file("s")).code(), ErrorCode::kFileNotRegular);
  ::close(socket);
}

TEST(MappedFile, RefusesADevice) {
  EXPECT_EQ(MappedFile::open("/dev/null").code(), ErrorCode::kFileNotRegular);
}

TEST(MappedFile, FollowsALink) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "file", "bytes");
  std::filesystem::create_symlink("file", directory.path() / "link");
  const Result<MappedFile> file = MappedFile::open(directory.file("link"));
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_EQ(text_of(file.value()), "bytes");
}

TEST(MappedFile, LeavesNoDescriptorOpen) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "file", "bytes");
  const int before = ::dup(0);
  ASSERT_GE(before, 0);
  ::close(before);
  {
    const Result<MappedFile> kept = MappedFile::open(directory.file("file"));
    EXPECT_TRUE(kept.ok());
    EXPECT_FALSE(MappedFile::open(directory.file(".")).ok());
    const int during = ::dup(0);  // the lowest free descriptor
    ::close(during);
    EXPECT_EQ(during, before);
  }
}

TEST(MappedFile, GivesZerosForWhatAnotherProgramCutOff) {
  const TemporaryDirectory directory;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  write_file(directory.path() / "cut", std::string(4 * page, 'x'));
  write_file(directory.path() / "whole", std::string(4 * page, 'x'));
  MappedFile opened = testing::take(MappedFile::open(directory.file("cut")));
  const MappedFile whole = testing::take(MappedFile::open(directory.file("whole")));
  // More than are watched at once: those that are gone are not.
  for (int i = 0; i < 1000; ++i) opened = testing::take(MappedFile::open(directory.file("cut")));
  std::filesystem::resize_file(directory.path() / "cut", page);
  EXPECT_EQ(opened.bytes()[0], 'x');
  EXPECT_FALSE(opened.gave_zeros());
  const MappedFile cut = std::move(opened);
  EXPECT_EQ(cut.bytes()[2 * page], 0);
  EXPECT_EQ(cut.bytes()[4 * page - 1], 0);
  EXPECT_TRUE(cut.gave_zeros());
  EXPECT_EQ(whole.bytes()[2 * page], 'x');
  EXPECT_FALSE(whole.gave_zeros());
}

TEST(MappedFile, SaysWhereTheFileWasChanged) {
  const TemporaryDirectory directory;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto opened = [&](const char* name) {
    write_file(directory.path() / name, std::string(2 * page, 'x'));
    const auto an_hour_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
    std::filesystem::last_write_time(directory.path() / name, an_hour_ago);
    MappedFile file = testing::take(MappedFile::open(directory.file(name)));
    EXPECT_FALSE(file.changed()) << name;
    return file;
  };
  // Of a page that is there no read fails: the bytes behind the new end are zeros.
  const MappedFile shorter = opened("shorter");
  std::filesystem::resize_file(directory.path() / "shorter", 2 * page - 1);
  EXPECT_EQ(shorter.bytes()[2 * page - 1], 0);
  EXPECT_FALSE(shorter.gave_zeros());
  EXPECT_TRUE(shorter.changed());

  const MappedFile written = opened("written");
  write_file(directory.path() / "written", std::string(2 * page, 'y'));
  EXPECT_EQ(written.bytes()[0], 'y');
  EXPECT_TRUE(written.changed());

  const MappedFile replaced = opened("replaced");
  write_file(directory.path() / "other", std::string(page, 'y'));
  std::filesystem::rename(directory.path() / "other", directory.path() / "replaced");
  EXPECT_EQ(replaced.bytes()[2 * page - 1], 'x');
  EXPECT_FALSE(replaced.changed());

  const MappedFile removed = opened("removed");
  std::filesystem::remove(directory.path() / "removed");
  EXPECT_EQ(removed.bytes()[0], 'x');
  EXPECT_FALSE(removed.changed());
}

// Whoever handled the signal before does so afterwards, and meanwhile for mappings that are none of ours.
TEST(MappedFile, LeavesOthersTheirFaults) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "file", "bytes");
  static volatile std::sig_atomic_t seen = 0;
  struct sigaction own{}, before{}, after{};
  own.sa_handler = [](int) { seen = seen + 1; };
  ASSERT_EQ(::sigaction(SIGBUS, &own, &before), 0);
  {
    const MappedFile file = testing::take(MappedFile::open(directory.file("file")));
    ::raise(SIGBUS);
    EXPECT_EQ(seen, 1);
  }
  ::sigaction(SIGBUS, &before, &after);
  EXPECT_EQ(after.sa_handler, own.sa_handler);
}
#endif

}  // namespace
}  // namespace emberline
