#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace allclear::test {

/// A program that runs beside the test, its two outputs going to one file.
class Process {
 public:
  Process(const std::vector<std::string>& command, const std::filesystem::path& output)
      : output_(output) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    child_ = ::fork();
    if (child_ != 0) return;
    if (std::freopen(output.c_str(), "w", stdout) == nullptr) ::_exit(126);
    ::dup2(STDOUT_FILENO, STDERR_FILENO);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  ~Process() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal_number) const {
    if (child_ > 0) ::kill(child_, signal_number);
  }
  /// The exit code; minus the signal's number when one ended it.
  int wait() {
    int status = 0;
    if (child_ <= 0 || ::waitpid(child_, &status, 0) != child_) return -1000;
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  std::string output() const {
    std::ifstream in(output_);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path output_;
  pid_t child_ = -1;
};

}  // namespace allclear::test
