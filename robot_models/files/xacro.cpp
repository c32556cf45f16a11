// Runs `xacro` on a description that is written in it.
//
// The program gets the file's absolute path as its one argument, from posix_spawnp and so without a
// shell: no character in a file's name means anything, and no name is an option. Both outputs are
// read as they come, by poll: a program that fills one pipe while the other is read would never
// end.
#include "allclear/robot_models/files/xacro.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "allclear/core/input_error.h"

extern char** environ;

namespace allclear {
namespace {

constexpr std::size_t kLongestComplaint = 4096;

/// Both ends of a pipe, closed with it and across exec.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw InputError("cannot make a pipe for xacro");
  }
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int out() const { return ends_[0]; }
  int in() const { return ends_[1]; }
  void closeEnd(int end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

std::string howToExpand(const std::filesystem::path& path) {
  // robot.urdf.xacro becomes robot.urdf; a name that says less gets a new one.
  const bool is_named = path.extension() == ".xacro" && path.stem().has_extension();
  return "expand it where ROS is: xacro " + path.filename().string() + " > " +
         (is_named ? path.stem().string() : "expanded_" + path.stem().string() + ".urdf");
}

/// Starts `xacro FILE`; the error number is 0 when it runs.
int start(const std::string& file, const Pipe& output, const Pipe& complaints, pid_t* child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.in(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, complaints.in(), STDERR_FILENO);
  std::string name = "xacro", argument = file;
  char* words[] = {name.data(), argument.data(), nullptr};
  const int error = posix_spawnp(child, name.c_str(), &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// Appends what can be read, up to `largest` bytes in all; returns false at the end of the pipe, or
/// when there was more.
bool readSome(int pipe, std::size_t largest, std::string* text, bool* is_too_long) {
  std::array<char, 65536> block;
  const ssize_t count = ::read(pipe, block.data(), block.size());
  if (count < 0) return errno == EINTR;
  if (count == 0) return false;
  const std::size_t room = largest - text->size();
  *is_too_long = *is_too_long || static_cast<std::size_t>(count) > room;
  text->append(block.data(), std::min(room, static_cast<std::size_t>(count)));
  return true;
}

/// The program's complaint in one line, without the words that only say that it failed.
std::string inOneLine(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  constexpr std::size_t kShown = 300;
  if (text.size() > kShown) text = ".." + text.substr(text.size() - kShown);  // the cause is last
  return text.empty() ? "it says nothing" : text;
}

std::string withoutComments(const std::string& content) {
  std::string out;
  for (std::size_t at = 0; at < content.size();) {
    const std::size_t open = content.find("<!--", at);
    out.append(content, at, open == std::string::npos ? open : open - at);
    if (open == std::string::npos) break;
    const std::size_t close = content.find("-->", open + 4);
    if (close == std::string::npos) break;
    at = close + 3;
  }
  return out;
}

struct Outputs {
  std::string text;
  std::string complaint;
  bool is_too_long = false;
};

/// Reads both pipes until both end, or there is too much of the text.
Outputs readBoth(const Pipe& output, const Pipe& complaints, std::size_t largest) {
  Outputs out;
  std::array<pollfd, 2> open{{{output.out(), POLLIN, 0}, {complaints.out(), POLLIN, 0}}};
  bool cut = false;  // of complaints: the rest is thrown away
  while (!out.is_too_long && (open[0].fd >= 0 || open[1].fd >= 0)) {
    if (::poll(open.data(), open.size(), -1) < 0 && errno != EINTR) break;
    if (open[0].revents && !readSome(open[0].fd, largest, &out.text, &out.is_too_long)) {
      open[0].fd = -1;
    }
    if (open[1].revents && !readSome(open[1].fd, kLongestComplaint, &out.complaint, &cut)) {
      open[1].fd = -1;
    }
  }
  return out;
}

}  // namespace

bool isXacro(const std::filesystem::path& path, const std::string& content) {
  const auto has = [](const std::string& text, const char* mark) {
    return text.find(mark) != std::string::npos;
  };
  if (!has(content, "<xacro:") && path.extension() != ".xacro") return false;
  // xacro keeps comments: what it made may still show, in one of them, what it was made from.
  const std::string text = withoutComments(content);
  if (has(text, "<xacro:")) return true;
  return path.extension() == ".xacro" && (has(text, "${") || has(text, "$("));
}

std::string expandedXacro(const std::filesystem::path& path, std::size_t largest) {
  const std::string file = path.string();
  Pipe output, complaints;
  pid_t child = -1;
  if (start(std::filesystem::absolute(path).string(), output, complaints, &child) != 0) {
    throw InputError(
        {file, 0, "", ""},
        "is a xacro file, and there is no program 'xacro' on the PATH: install it, or " +
            howToExpand(path));
  }
  output.closeEnd(1);
  complaints.closeEnd(1);
  const Outputs outputs = readBoth(output, complaints, largest);
  if (outputs.is_too_long) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (outputs.is_too_long) {
    throw InputError({file, 0, "", ""},
                     "xacro makes more than " + std::to_string(largest >> 20) + " MiB of it");
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw InputError({file, 0, "", ""}, "is a xacro file, and xacro fails (" +
                                            inOneLine(outputs.complaint) + "); " +
                                            howToExpand(path) + " (with arguments NAME:=VALUE)");
  }
  return outputs.text;
}

}  // namespace allclear
