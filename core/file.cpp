// Whole files in and out.
//
// A file is replaced by renaming, which shows readers the old content or the new one. Several files
// are staged in full, so that a full disk or a missing right shows before any of them is replaced;
// then all are renamed. Before that, a second name keeps what stood there, so that a rename that
// fails can be undone. A process that is killed between two renames leaves files of two runs; the
// hashes of a certificate tell.
//
// A temporary file is locked while its writer lives (flock, which ends with the process, however it
// ends). Whoever gets the lock of one may remove it: nobody writes it any more.
#include "allclear/core/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"

namespace allclear {
namespace fs = std::filesystem;
namespace {

constexpr int kMostLinks = 40;  // as many links to links as Linux follows
/// Bytes of a name that its temporary names share: with what follows below the 255 of file systems.
constexpr std::size_t kSharedName = 200;
constexpr std::size_t kBlock = std::size_t{1} << 16;  // bytes that are read at once
constexpr std::string_view kMark = ".tmp";
constexpr int kTemporaryNames = 16;  // so many programs may write one file at the same time

/// A file descriptor that is closed with it.
class File {
 public:
  explicit File(int descriptor = -1) : descriptor_(descriptor) {}
  ~File() { close(); }
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  int get() const { return descriptor_; }
  bool isOpen() const { return descriptor_ >= 0; }
  /// False when data that was written did not arrive.
  bool close() { return descriptor_ < 0 || ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

[[noreturn]] void failWriting(const fs::path& path, const std::string& reason) {
  throw InputError({path.string(), 0, "", ""}, "cannot be written: " + reason);
}

/// Waits until a pipe has more to read, or this thread's scope ends.
void awaitData(int descriptor) {
  constexpr int kBetweenQuestions = 10;  // [ms]
  pollfd wait{descriptor, POLLIN, 0};
  while (::poll(&wait, 1, kBetweenQuestions) == 0) throwIfStopped();
}

/// The file that a path stands for: the end of a chain of links, there or not.
fs::path behindLinks(fs::path path) {
  std::error_code code;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, code); ++i) {
    const fs::path target = fs::read_symlink(path, code);
    if (code) break;
    path = path.parent_path() / target;  // an absolute target replaces all of it
  }
  return path;
}

fs::path folderOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

bool isThere(fs::file_type type) {
  return type != fs::file_type::not_found && type != fs::file_type::none;
}

/// The open descriptor that a path names, wherever it leads (a redirection to a file, too); -1 for
/// other paths. To rename a file to where it leads would take it from under the descriptor.
int descriptorNamed(const fs::path& path) {
  const std::string name = path.lexically_normal().string();
  if (name == "/dev/stdout") return STDOUT_FILENO;
  if (name == "/dev/stderr") return STDERR_FILENO;
  constexpr std::string_view kFolder = "/dev/fd/";
  if (!name.starts_with(kFolder)) return -1;
  int number = -1;
  const char* last = name.data() + name.size();
  const auto [end, error] = std::from_chars(name.data() + kFolder.size(), last, number);
  return error == std::errc() && end == last ? number : -1;
}

/// A device, a pipe, a socket, an open descriptor: something that bytes are sent to, not a place
/// for a file.
bool isSink(const fs::path& path) {
  if (descriptorNamed(path) >= 0) return true;
  std::error_code code;
  const fs::file_type type = fs::status(path, code).type();
  return isThere(type) && type != fs::file_type::regular && type != fs::file_type::directory;
}

/// The temporary names of a file are few and fixed, so that those of killed writers are found
/// without a look at the whole folder.
fs::path temporaryName(const fs::path& path, int i) {
  return folderOf(path) /
         (path.filename().string().substr(0, kSharedName) + std::string(kMark) + std::to_string(i));
}

/// Removes what killed writers of this file have left. Not being able to is no error.
void removeOrphans(const fs::path& path) {
  for (int i = 0; i < kTemporaryNames; ++i) {
    const fs::path orphan = temporaryName(path, i);
    const File file(::open(orphan.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.isOpen() && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(orphan.c_str());
  }
}

void writeAll(const File& file, std::string_view content, const fs::path& path) {
  while (!content.empty()) {
    const ssize_t count = ::write(file.get(), content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) failWriting(path, std::strerror(errno));
    content.remove_prefix(static_cast<std::size_t>(count));
  }
}

void writeToSink(const fs::path& path, std::string_view content) {
  const int descriptor = descriptorNamed(path);
  File file(descriptor >= 0 ? ::dup(descriptor) : ::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.isOpen()) failWriting(path, std::strerror(errno));
  writeAll(file, content, path);
  if (!file.close()) failWriting(path, std::strerror(errno));
}

/// A file that is on its way to its place: its content under a temporary name, gone with this
/// object unless it was moved to its place.
class StagedFile {
 public:
  StagedFile(const fs::path& path, std::string_view content)
      : path_(path), target_(behindLinks(path)) {
    removeOrphans(target_);
    create();
    struct stat old {};
    had_old_ = ::stat(target_.c_str(), &old) == 0;
    if (had_old_) ::fchmod(file_.get(), old.st_mode & 0777);
    try {
      writeAll(file_, content, path_);
      if (::fsync(file_.get()) != 0) failWriting(path_, std::strerror(errno));
    } catch (...) {
      ::unlink(temporary_.c_str());
      throw;
    }
  }
  StagedFile(StagedFile&&) = default;
  StagedFile& operator=(StagedFile&&) = delete;
  ~StagedFile() {
    // A moved-from path is empty.
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    if (!old_.empty()) ::unlink(old_.c_str());
  }

  /// The second name of what stands there, for `moveBack`. Locked, so that no other writer takes it
  /// for an orphan; without it (another file system's limits) a step back is not possible.
  void keepOld() {
    was_ = File(::open(target_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!was_.isOpen() || ::flock(was_.get(), LOCK_EX | LOCK_NB) != 0) return;
    for (int i = 0; i < kTemporaryNames && old_.empty(); ++i) {
      const fs::path name = temporaryName(target_, i);
      if (::link(target_.c_str(), name.c_str()) == 0) old_ = name;
    }
  }

  void moveToPlace() {
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
      failWriting(path_, std::strerror(errno));
    }
    temporary_.clear();
  }

  void moveBack() {
    if (!temporary_.empty()) return;
    if (!had_old_) {
      ::unlink(target_.c_str());
    } else if (!old_.empty() && ::rename(old_.c_str(), target_.c_str()) == 0) {
      old_.clear();
    }
  }

  /// The name itself survives a crash of the machine only once its folder is on the disk.
  void syncFolder() const {
    const File folder(::open(folderOf(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.isOpen()) ::fsync(folder.get());
  }

 private:
  /// Creates and locks the temporary file. Another process may remove it as an orphan between the
  /// two steps: then the next name is tried.
  void create() {
    for (int i = 0; i < kTemporaryNames; ++i) {
      temporary_ = temporaryName(target_, i);
      file_ = File(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      if (!file_.isOpen() && errno == EEXIST) continue;
      if (!file_.isOpen()) failWriting(path_, std::strerror(errno));
      ::flock(file_.get(), LOCK_EX);
      struct stat made {};
      if (::fstat(file_.get(), &made) == 0 && made.st_nlink > 0) return;
    }
    failWriting(path_, "too many programs are writing it");
  }

  fs::path path_;       ///< as the caller gave it
  fs::path target_;     ///< behind all links
  fs::path temporary_;  ///< empty once it was moved to its place
  fs::path old_;        ///< another name of what stood there; empty when there is none
  bool had_old_ = false;
  File file_, was_;  ///< the new content, and what stood there
};

}  // namespace

std::string readFile(const fs::path& path, std::size_t limit_bytes) {
  const InputPlace place{path.string(), 0, "", ""};
  // Without O_NONBLOCK, opening a pipe would wait for somebody to write.
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.isOpen() && (errno == ENOENT || errno == ENOTDIR)) {
    throw InputError(place, "no such file");
  }
  struct stat status {};
  if (!file.isOpen() || ::fstat(file.get(), &status) != 0) {
    throw InputError(place, std::string("cannot be read: ") + std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) throw InputError(place, "is a directory");
  std::string content;
  std::string block(kBlock, '\0');  // not on the stack: a thread's may be as small
  for (;;) {
    throwIfStopped();
    const ssize_t count = ::read(file.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      awaitData(file.get());
      continue;
    }
    if (count < 0) throw InputError(place, std::string("cannot be read: ") + std::strerror(errno));
    if (count == 0) break;
    content.append(block, 0, static_cast<std::size_t>(count));
    if (content.size() > limit_bytes) {
      throw InputError(place, "is larger than " + std::to_string(limit_bytes >> 20) + " MiB");
    }
  }
  if (content.empty() && S_ISFIFO(status.st_mode)) {
    throw InputError(place, "is a pipe that nobody writes to");
  }
  return content;
}

void writeFiles(const FileContents& files) {
  std::vector<StagedFile> staged;
  staged.reserve(files.size());
  for (const auto& [path, content] : files) {
    requireWritable(path);
    if (!isSink(path)) staged.emplace_back(path, content);
  }
  for (const auto& [path, content] : files) {
    if (isSink(path)) writeToSink(path, content);
  }
  if (staged.size() > 1) {  // one alone is renamed or not
    for (StagedFile& file : staged) file.keepOld();
  }
  try {
    for (StagedFile& file : staged) file.moveToPlace();
  } catch (...) {
    for (StagedFile& file : staged) file.moveBack();
    throw;
  }
  for (const StagedFile& file : staged) file.syncFolder();
}

void writeFileAtomically(const fs::path& path, std::string_view content) {
  writeFiles({{path, std::string(content)}});
}

void requireWritable(const fs::path& path) {
  if (path.empty()) failWriting(path, "its name is empty");
  const int descriptor = descriptorNamed(path);
  if (descriptor >= 0) {
    if (::fcntl(descriptor, F_GETFL) < 0) failWriting(path, std::strerror(errno));
    return;
  }
  std::error_code code;
  const fs::file_type type = fs::status(path, code).type();
  if (type == fs::file_type::directory) failWriting(path, "is a directory");
  if (type == fs::file_type::none) failWriting(path, code.message());
  const fs::path target = behindLinks(path);
  // A sink is opened; beside a file another one is made.
  const bool is_sink = isSink(path);
  const fs::path place = is_sink ? target : folderOf(target);
  if (!is_sink && !target.has_filename()) failWriting(path, "names a folder");
  for (fs::path up = place; !is_sink && !up.empty(); up = up.parent_path()) {
    if (fs::exists(up, code) && !fs::is_directory(up, code)) {
      failWriting(path, "'" + up.string() + "' is a file, not a folder");
    }
    if (up == up.parent_path()) break;
  }
  if (::access(place.c_str(), is_sink ? W_OK : W_OK | X_OK) != 0) {
    failWriting(path, std::strerror(errno));
  }
  if (!is_sink && !fs::is_directory(place, code)) {
    failWriting(path, std::strerror(ENOTDIR));
  }
}

bool isSameFile(const fs::path& a, const fs::path& b) {
  if (isSink(a) || isSink(b)) return false;
  std::error_code code;
  if (fs::equivalent(a, b, code)) return true;
  const auto place = [&](const fs::path& path) {
    const fs::path target = behindLinks(path);
    const fs::path folder = fs::weakly_canonical(fs::absolute(folderOf(target), code), code);
    return folder / target.filename();
  };
  return place(a) == place(b);
}

}  // namespace allclear
