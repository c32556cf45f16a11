#pragma once

#include <console_bridge/console.h>

#include <mutex>
#include <string>

namespace allclear {

/// Catches what urdfdom would print to stderr. console_bridge has one output handler per process,
/// not per call or per thread, so two readers must not swap handlers at the same time: the mutex
/// makes reading safe from several threads. It guards nothing else; no state outlives a call.
class CapturedLog : public console_bridge::OutputHandler {
 public:
  CapturedLog() : lock_(mutex()) { console_bridge::useOutputHandler(this); }
  ~CapturedLog() override { console_bridge::restorePreviousOutputHandler(); }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;

  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR && first_error.empty())
      first_error = text;
  }

  std::string first_error;

 private:
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }
  std::lock_guard<std::mutex> lock_;
};

}  // namespace allclear
