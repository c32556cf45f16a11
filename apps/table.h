#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace allclear {

/// Text in aligned columns. Widths count characters, not bytes of UTF-8.
class Table {
 public:
  /// A column whose heading starts with '>' is aligned to the right.
  explicit Table(const std::vector<std::string>& headings);

  void addRow(std::vector<std::string> cells);
  bool empty() const { return rows_.size() == 1; }

  /// Columns two spaces apart, `indent` spaces before; columns without content are not printed.
  void print(std::ostream& out, int indent = 2) const;

 private:
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;  ///< the headings first
};

/// Up to `digits` significant digits, without trailing zeros; "-" when infinite.
std::string shortNumber(double value, int digits = 5);

/// 12345 as "12 345".
std::string groupedNumber(std::size_t value);

}  // namespace allclear
