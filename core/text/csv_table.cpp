// Reads tables of numbers as spreadsheets and other programs write them, and refuses what is not
// one with the likely reason: another encoding, semicolons, decimal commas, a header that is
// missing.
#include "allclear/core/text/csv_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "allclear/core/input_error.h"

namespace allclear {
namespace {

/// Three for each of more joints than any robot has; bounds work that grows with their square.
constexpr std::size_t kMostColumns = 20'000;

/// The fields between commas. Quotes do not protect a comma: no table read here needs that.
std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = line.find(',', begin);
    fields.push_back(trimmedField(line.substr(begin, comma - begin)));
    if (comma == std::string_view::npos) return fields;
    begin = comma + 1;
  }
}

std::string_view withoutQuotes(std::string_view field) {
  const bool quoted = field.size() >= 2 && field.front() == '"' && field.back() == '"';
  return quoted ? field.substr(1, field.size() - 2) : field;
}

}  // namespace

std::string_view trimmedField(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

CsvTable::CsvTable(std::string_view text, const std::string& file, const CsvStyle& style)
    : text_(text), file_(file), style_(style) {
  requireText();
  readHeader();
}

void CsvTable::fail(const std::string& key, std::string_view value,
                    const std::string& message) const {
  throw InputError({file_, line_number_, key, std::string(value)}, message);
}

void CsvTable::failAt(int column, const std::string& message) const {
  fail("column '" + names_[column] + "'", fields_[column], message);
}

int CsvTable::indexOf(std::string_view name) const {
  const auto found = index_.find(std::string(name));
  return found == index_.end() ? -1 : found->second;
}

/// Refuses what is no text at all, and cuts off the blanks at the end, which are no rows.
void CsvTable::requireText() {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
    fail("", "", "is UTF-16: save it as UTF-8");
  }
  if (text_.find('\0') != std::string_view::npos) fail("", "", "is a binary file, not CSV");
  if (text_.empty()) fail("", "", "is empty");
  ends_with_newline_ = text_.ends_with('\n');
  text_ = text_.substr(0, text_.find_last_not_of(" \t\r\n") + 1);
}

/// The next line into `line_`; false at the end.
bool CsvTable::nextLine() {
  while (position_ < text_.size()) {
    steps_.step();
    const std::size_t end = std::min(text_.find('\n', position_), text_.size());
    line_ = trimmedField(text_.substr(position_, end - position_));
    position_ = end + 1;
    ++line_number_;
    const bool is_comment = line_.empty() || line_.front() == '#';
    if (!style_.skip_comments || !is_comment) return true;
  }
  return false;
}

void CsvTable::readHeader() {
  if (!nextLine() || line_.empty()) {
    line_number_ = std::max(line_number_, 1);
    fail("", "", "the header is missing");
  }
  // Names may be quoted, but may hold no comma: none of the tables read here has such names.
  for (const std::string_view field : split(line_)) names_.emplace_back(withoutQuotes(field));
  if (names_.size() > kMostColumns) fail("header", "", "has more than 20000 columns");
  for (const std::string& name : names_) {
    const bool is_text = std::none_of(name.begin(), name.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (!is_text) fail("header", name, "is not the header of a CSV file: control characters");
  }
  // A first line of numbers is a row: reading it as names would silently drop it.
  double ignored = 0.0;
  const char* end = names_[0].data() + names_[0].size();
  if (!names_[0].empty() && std::from_chars(names_[0].data(), end, ignored).ptr == end) {
    fail("header", names_[0], "the header is missing: the first line holds numbers");
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i].empty()) fail("column " + std::to_string(i + 1), "", "its name is empty");
    const bool is_new = index_.try_emplace(names_[i], static_cast<int>(i)).second;
    if (!is_new) fail("header", names_[i], "this column appears twice");
  }
}

double CsvTable::numberFrom(int column) const {
  const std::string_view field = fields_[column];
  if (field.empty()) failAt(column, "a number is missing");
  std::string_view digits = field;
  // `from_chars` takes no plus; "+-1" must not become -1.
  if (digits.front() == '+' && digits.size() > 1 && digits[1] != '-') digits.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) failAt(column, "is out of range");
  if (error != std::errc() || end != digits.data() + digits.size()) {
    failAt(column, "is not a number");
  }
  if (!std::isfinite(value)) failAt(column, "must be finite");
  if (std::abs(value) > style_.greatest) {
    char limit[32];
    const auto last = std::to_chars(limit, limit + sizeof limit, style_.greatest).ptr;
    failAt(column, "is beyond " + std::string(limit, last));
  }
  return value;
}

/// All numbers of the row are read, used or not: a table with a broken column is a broken file.
bool CsvTable::nextRow() {
  if (!nextLine()) return false;
  fields_ = split(line_);
  if (fields_.size() != names_.size()) {
    // 1,5 for 1.5 in every column but the last makes at least so many fields.
    const bool decimal_commas = fields_.size() + 1 >= 2 * names_.size();
    fail("", "",
         "has " + std::to_string(fields_.size()) + " columns where the header has " +
             std::to_string(names_.size()) +
             (decimal_commas ? " (numbers take a decimal point, not a comma)" : ""));
  }
  numbers_.clear();
  for (int i = 0; i < static_cast<int>(fields_.size()); ++i) {
    steps_.step();
    numbers_.push_back(numberFrom(i));
  }
  return true;
}

}  // namespace allclear
