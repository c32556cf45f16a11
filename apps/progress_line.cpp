// A line that is longer than the terminal is wide would wrap, and the next one could not be written
// over it: so it is cut, by characters and not by bytes.
#include "allclear/apps/progress_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "allclear/core/formatted.h"

namespace allclear {
namespace {

constexpr double kBetweenPictures = 0.1;  // [s] on a terminal: as fast as one can read
constexpr double kBetweenLines = 10.0;    // [s] in a log: a night's runs stay readable
constexpr int kUsualWidth = 80;
constexpr int kLeastWidth = 20;

/// A terminal that can write over its last line.
bool isTerminal() {
  const char* const term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && term != nullptr && std::string_view(term) != "dumb";
}

/// Columns of the terminal; as many as most have where it does not say.
int terminalWidth() {
  winsize size{};
  const bool is_known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? static_cast<int>(size.ws_col) : kUsualWidth;
}

/// All bytes but those that continue a character of UTF-8.
bool startsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

/// The first `width` characters of a UTF-8 text.
std::string cut(const std::string& text, int width) {
  int characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (startsCharacter(text[i]) && ++characters > width) return text.substr(0, i);
  }
  return text;
}

}  // namespace

std::string progressText(const PlanProgress& p, double seconds, int width) {
  std::string text = formatted("%.1f s", seconds);
  if (!std::isnan(p.best)) text += formatted("  best %.3f s", p.best);
  text += formatted("  attempt %d", p.attempt + 1);
  if (!p.worst.empty()) text += "  " + p.worst;
  return cut(text, std::max(width, kLeastWidth));
}

std::string iterationText(const PlanProgress& p) {
  const std::string best = std::isnan(p.best) ? "" : formatted("best %.3f s  ", p.best);
  if (p.iteration == 0 && p.cost == 0.0 && p.infeasibility == 0.0) {  // a step beside the solver
    return best + formatted("attempt %d  ", p.attempt + 1) + p.worst;
  }
  return best +
         formatted("attempt %d round %d iteration %3d  cost %9.4f  infeasible %8.1e  ",
                   p.attempt + 1, p.round, p.iteration, p.cost, p.infeasibility) +
         p.worst;
}

ProgressLine::ProgressLine(bool quiet, bool verbose)
    : quiet_(quiet), verbose_(verbose), in_place_(!quiet && !verbose && isTerminal()) {}

ProgressLine::~ProgressLine() {
  if (!in_place_ || !printed_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

void ProgressLine::operator()(const PlanProgress& progress) {
  if (quiet_) return;
  if (verbose_) {
    std::fprintf(stderr, "%s\n", iterationText(progress).c_str());
    return;
  }
  const Clock::time_point now = Clock::now();
  const double since = std::chrono::duration<double>(now - shown_).count();
  if (since < (in_place_ ? kBetweenPictures : kBetweenLines)) return;
  shown_ = now;
  printed_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  // The last column stays free: some terminals wrap when it is written.
  const std::string text = progressText(progress, seconds, in_place_ ? terminalWidth() - 1 : 400);
  std::fprintf(stderr, "%s%s%s", in_place_ ? "\r\033[K" : "", text.c_str(), in_place_ ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace allclear
