// Numbers in texts for people, as printf forms them, but without the program's locale.
//
// `std::to_chars` has neither widths nor the forms of printf that messages are written in. POSIX
// lets one thread print by another locale (`uselocale`): the "C" locale is taken for one call. It
// is made once and never freed, as it may be used until the last thread ends.
#include "allclear/core/formatted.h"

#include <locale.h>  // the POSIX part, which <clocale> does not have

#include <cstdarg>
#include <cstdio>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

locale_t classicLocale() {
  static const locale_t classic = ::newlocale(LC_ALL_MASK, "C", nullptr);
  return classic;
}

}  // namespace

ClassicNumbers::ClassicNumbers() : before_(::uselocale(classicLocale())) {}
ClassicNumbers::~ClassicNumbers() { ::uselocale(static_cast<locale_t>(before_)); }

std::string formatted(const char* format, ...) {
  const ClassicNumbers point;
  va_list values, again;
  va_start(values, format);
  va_copy(again, values);
  const int size = std::vsnprintf(nullptr, 0, format, values);
  va_end(values);
  ALLCLEAR_ASSERT(size >= 0);
  std::string out(static_cast<std::size_t>(size), '\0');
  std::vsnprintf(out.data(), out.size() + 1, format, again);
  va_end(again);
  return out;
}

}  // namespace allclear
