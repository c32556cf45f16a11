// Child processes by posix_spawn and pipes that are closed on exec, so that no child holds the pipe
// of another open: the end of a pipe then always tells that the other side has gone.
#include "allclear/apps/batch/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <stdexcept>

extern char** environ;

namespace allclear::batch {
namespace {

/// Its two ends; -1: closed.
struct Pipe {
  int read = -1;
  int write = -1;
};

/// Both ends close on exec; what a child is to have, posix_spawn duplicates.
Pipe makePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw std::runtime_error(std::string("no pipe to a worker: ") + std::strerror(errno));
  }
  return {ends[0], ends[1]};
}

void closeOnce(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

/// Spawns with these ends as standard input and output. Returns posix_spawn's error.
int spawn(const std::vector<std::string>& arguments, int in, int out, const std::string& error_file,
          pid_t* pid) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  if (!error_file.empty()) {
    constexpr int kMode = 0644;
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, error_file.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, kMode);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // Signals as a program expects them, whatever we have done with ours.
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  const int error = ::posix_spawnp(pid, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments,
                           const std::string& error_file) {
  Pipe to = makePipe();
  Pipe from = makePipe();
  const int error = spawn(arguments, to.read, from.write, error_file, &pid_);
  // The child has its ends now; ours of them would keep the pipes open when it has gone.
  closeOnce(to.read);
  closeOnce(from.write);
  input_ = to.write;
  output_ = from.read;
  if (error != 0) {
    closeOnce(input_);
    closeOnce(output_);
    throw std::runtime_error(arguments[0] + " cannot be started: " + std::strerror(error));
  }
}

ChildProcess::~ChildProcess() {
  closeOnce(input_);
  closeOnce(output_);
  kill();
  wait();
}

/// Waits while the pipe is full. A worker reads when it has answered, and is only asked then; a
/// bridge reads all the time.
bool ChildProcess::send(std::string line) {
  line += '\n';
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t count = ::write(input_, line.data() + done, line.size() - done);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return true;
}

bool ChildProcess::receive() {
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  char block[kBlock];
  const ssize_t count = ::read(output_, block, kBlock);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  received_.append(block, static_cast<std::size_t>(count));
  return count > 0;
}

std::optional<std::string> ChildProcess::nextLine() {
  // Each byte is looked at once, however many reads a long line takes.
  const std::size_t end = received_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = received_.size();
    return std::nullopt;
  }
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  scanned_ = 0;
  return line;
}

void ChildProcess::closeInput() { closeOnce(input_); }

void ChildProcess::kill() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

int ChildProcess::wait() {
  int status = 0;
  while (pid_ > 0 && ::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

/// As C names it; of signals without a name the number has to do.
std::string signalName(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

std::string ownProgram() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace allclear::batch
