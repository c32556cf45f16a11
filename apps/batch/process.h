#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace allclear::batch {

/// A child process with pipes to its standard input and output; its standard error is a file, or
/// ours. In a process group of its own, so that Ctrl-C reaches us alone. Killed with this object.
class ChildProcess {
 public:
  /// Starts `arguments[0]`, looked for in the PATH. Throws `std::runtime_error`.
  ChildProcess(const std::vector<std::string>& arguments, const std::string& error_file);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  /// To poll for reading.
  int output() const { return output_; }

  /// Writes a line and its end. False when the process does not read any more.
  bool send(std::string line);
  /// Reads what is there; false at the end of its output.
  bool receive();
  /// The next whole line of what was received.
  std::optional<std::string> nextLine();

  void closeInput();
  void kill();
  /// Waits until it has ended; the status as waitpid(2) gives it.
  int wait();

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string received_;
  std::size_t scanned_ = 0;  ///< of it, without the end of a line
};

/// "SIGSEGV" of its number, "signal 42" of one without a common name.
std::string signalName(int signal);

/// The program that is running now.
std::string ownProgram();

}  // namespace allclear::batch
