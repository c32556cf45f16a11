#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "allclear/core/stop_scope.h"

namespace allclear {

/// Differences between the kinds of CSV file that are read.
struct CsvStyle {
  /// Lines that are blank or begin with # are no rows. Otherwise blanks may stand at the end only.
  bool skip_comments = false;
  double greatest = std::numeric_limits<double>::infinity();  ///< of the size of any number
};

/// A table of numbers from CSV text, read row by row: a header of names, then rows as long. A byte
/// order mark, CRLF, spaces around fields and quotes around names are accepted. Errors are
/// `InputError`s with file, line, column and value.
class CsvTable {
 public:
  /// Reads the header. Borrows the text.
  CsvTable(std::string_view text, const std::string& file, const CsvStyle& style);

  const std::vector<std::string>& names() const { return names_; }
  bool has(std::string_view name) const { return indexOf(name) >= 0; }
  /// The column of that name; -1 when there is none.
  int indexOf(std::string_view name) const;
  /// Whether the text ends as a line does; if not, it may be cut short.
  bool endsWithNewline() const { return ends_with_newline_; }

  /// Goes to the next row and reads its numbers; false when there is none.
  bool nextRow();
  double number(int column) const { return numbers_[column]; }

  /// Throws the `InputError` of the present line.
  [[noreturn]] void fail(const std::string& key, std::string_view value,
                         const std::string& message) const;
  /// The same for a column of the present row; shows its field.
  [[noreturn]] void failAt(int column, const std::string& message) const;

 private:
  void requireText();
  void readHeader();
  bool nextLine();
  double numberFrom(int column) const;

  std::string_view text_, line_;
  std::string file_;
  CsvStyle style_;
  bool ends_with_newline_ = true;
  std::size_t position_ = 0;
  int line_number_ = 0;
  std::vector<std::string> names_;
  std::unordered_map<std::string, int> index_;  ///< of each name
  std::vector<std::string_view> fields_;
  std::vector<double> numbers_;
  StopSteps steps_;
};

/// Without spaces, tabs and carriage returns at both ends.
std::string_view trimmedField(std::string_view text);

}  // namespace allclear
