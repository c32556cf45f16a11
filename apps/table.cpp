#include "allclear/apps/table.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "allclear/core/formatted.h"

namespace allclear {
namespace {

/// Characters of a UTF-8 text: all bytes but those that continue a character (10xxxxxx).
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace

Table::Table(const std::vector<std::string>& headings) {
  std::vector<std::string> cells;
  for (const std::string& heading : headings) {
    right_.push_back(heading.starts_with('>'));
    cells.push_back(right_.back() ? heading.substr(1) : heading);
  }
  rows_.push_back(std::move(cells));
}

void Table::addRow(std::vector<std::string> cells) {
  cells.resize(right_.size());
  rows_.push_back(std::move(cells));
}

void Table::print(std::ostream& out, int indent) const {
  // By the rows first: a column that is empty in all of them keeps the width 0 and is not printed.
  std::vector<std::size_t> widths(right_.size(), 0);
  for (std::size_t r = 1; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < widths.size(); ++c)
      widths[c] = std::max(widths[c], width(rows_[r][c]));
  }
  for (std::size_t c = 0; c < widths.size(); ++c) {
    if (widths[c] > 0) widths[c] = std::max(widths[c], width(rows_[0][c]));
  }
  for (const auto& row : rows_) {
    std::string line(static_cast<std::size_t>(indent), ' ');
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (widths[c] == 0) continue;
      const std::string space(widths[c] - std::min(widths[c], width(row[c])), ' ');
      line += right_[c] ? space + row[c] : row[c] + space;
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty()) out << line << '\n';
  }
}

std::string shortNumber(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  return formatted("%.*g", digits, value == 0.0 ? 0.0 : value);
}

std::string groupedNumber(std::size_t value) {
  std::string text = std::to_string(value);
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), " ");
  }
  return text;
}

}  // namespace allclear
