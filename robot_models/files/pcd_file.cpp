// Points from PCD files (PCL's format 0.6 and 0.7): a header of lines, then the points as text, as
// bytes point by point, or compressed field by field.
#include <array>
#include <functional>

#include "allclear/core/input_error.h"
#include "allclear/robot_models/files/byte_reader.h"
#include "allclear/robot_models/files/lzf.h"
#include "allclear/robot_models/files/point_fields.h"

namespace allclear {
namespace {

/// As of files that are not compressed (`readFile`).
constexpr std::size_t kMostExpanded = std::size_t{1} << 30;

bool isNumberType(char type, int size) {
  if (type == 'F') return size == 4 || size == 8;
  return (type == 'I' || type == 'U') && (size == 1 || size == 2 || size == 4 || size == 8);
}

struct PcdHeader {
  std::vector<PointField> fields;
  std::size_t width = 0, height = 1, points = 0;
  bool has_points = false;
  std::string data;
  std::string viewpoint;
  std::size_t stride = 0;  ///< [bytes] of a point
};

class PcdReader {
 public:
  PcdReader(std::string_view content, const std::filesystem::path& path)
      : path_(path), bytes_(content), points_(path, content.size()) {}

  PointFile run() {
    readHeader();
    place_ = placeFields(header_.fields, path_);
    points_.reserve(header_.points);
    if (header_.data == "ascii") {
      readAscii();
    } else if (header_.data == "binary") {
      readBinary();
    } else {
      readCompressed();
    }
    // PCL keeps the pose of the sensor here and does not move the points by it.
    if (!header_.viewpoint.empty() && header_.viewpoint != "0 0 0 1 0 0 0") {
      points_.note("the file's VIEWPOINT (" + header_.viewpoint +
                   ") is not used: the points are taken as they stand");
    }
    return points_.finished();
  }

 private:
  [[noreturn]] void failHere(const std::string& message, std::string_view value = {}) const {
    failPoints(path_, message, bytes_.line(), value);
  }

  std::size_t counted(const std::string& word) const {
    const auto value = numberOf<std::size_t>(word);
    if (!value) failHere("is no count", word);
    return *value;
  }

  /// One value for each field.
  void forFields(const std::vector<std::string>& values,
                 const std::function<void(PointField&, const std::string&)>& set) {
    if (values.size() != header_.fields.size()) {
      failHere("has " + std::to_string(values.size()) + " entries for " +
               std::to_string(header_.fields.size()) + " fields (FIELDS comes first)");
    }
    for (std::size_t i = 0; i < values.size(); ++i) set(header_.fields[i], values[i]);
  }

  void readHeader() {
    for (int i = 0; i < kMostHeaderLines; ++i) {
      const auto line = bytes_.nextLine();
      if (!line) break;
      if (line->empty() || line->front() == '#') continue;
      std::vector<std::string> values = wordsOf(*line);
      if (values.empty()) continue;
      // An entry is a word and its values; DATA is the last one.
      const std::string key = values.front();
      values.erase(values.begin());
      if (key == "DATA") {
        if (values.size() != 1) failHere("DATA needs one word");
        header_.data = values[0];
        return finishHeader();
      }
      readEntry(key, values);
    }
    failHere("is no PCD file: its header has no line DATA");
  }

  void readEntry(const std::string& key, const std::vector<std::string>& values) {
    if (key == "VERSION") return;
    if (key == "FIELDS" || key == "COLUMNS") {
      if (!header_.fields.empty()) failHere("FIELDS comes twice");
      if (values.size() > kMostFields) {
        failHere("has more than " + std::to_string(kMostFields) + " fields");
      }
      for (const std::string& name : values) header_.fields.push_back({name});
    } else if (key == "SIZE") {
      forFields(values, [&](PointField& field, const std::string& word) {
        const std::size_t size = counted(word);
        // Numbers of more bytes are none that any program writes.
        if (size > 8) failHere("a field has at most 8 bytes", word);
        field.size = static_cast<int>(size);
      });
    } else if (key == "TYPE") {
      forFields(values, [](PointField& field, const std::string& word) { field.type = word[0]; });
    } else if (key == "COUNT") {
      forFields(values, [&](PointField& field, const std::string& word) {
        field.count = counted(word);
        if (field.count == 0) failHere("a field has one entry or more", word);
        if (field.count > 100000) failHere("a field has at most 100000 entries", word);
      });
    } else if (key == "VIEWPOINT") {
      for (const std::string& word : values) {
        header_.viewpoint += (header_.viewpoint.empty() ? "" : " ") + word;
      }
    } else if (key == "WIDTH" || key == "HEIGHT" || key == "POINTS") {
      if (values.size() != 1) failHere(key + " needs one number");
      const std::size_t count = counted(values[0]);
      if (key == "WIDTH") header_.width = count;
      if (key == "HEIGHT") header_.height = count;
      if (key == "POINTS") header_.points = count;
      header_.has_points = header_.has_points || key == "POINTS";
    } else {
      failHere("is no entry of a PCD header", key);
    }
  }

  void finishHeader() {
    if (header_.data != "ascii" && header_.data != "binary" &&
        header_.data != "binary_compressed") {
      failHere("DATA must be ascii, binary or binary_compressed", header_.data);
    }
    // Version 0.6 may do without POINTS.
    if (!header_.has_points) header_.points = header_.width * header_.height;
    if (header_.width > 0 &&
        (header_.points % header_.width != 0 || header_.points / header_.width != header_.height)) {
      failHere("POINTS is not WIDTH times HEIGHT");
    }
    for (PointField& field : header_.fields) {
      if (!isNumberType(field.type, field.size)) {
        failHere("the field '" + field.name + "' has no type that is known");
      }
      field.offset = header_.stride;
      header_.stride += static_cast<std::size_t>(field.size) * field.count;
    }
  }

  void readAscii() {
    for (std::size_t i = 0; i < header_.points;) {
      const auto line = bytes_.nextLine();
      if (!line)
        failHere("ends after " + std::to_string(i) + " of " + std::to_string(header_.points) +
                 " points");
      // Every field is there, though only three of them count.
      std::string_view rest = trimmed(*line);
      if (rest.empty()) continue;
      Vec3 p = Vec3::Zero();
      for (const PointField& field : header_.fields) {
        for (std::size_t c = 0; c < field.count; ++c) {
          const std::string_view word = takeWord(&rest);
          if (word.empty()) failHere("a point has too few numbers");
          for (int k = 0; k < 3; ++k) {
            if (place_[k] != &field) continue;
            const auto value = numberOf<double>(word);
            if (!value) failHere("is no number", word);
            p[k] = *value;
          }
          steps_.step();
        }
      }
      if (!takeWord(&rest).empty()) failHere("a point has too many numbers");
      points_.add(p, bytes_.line());
      ++i;
    }
  }

  std::string_view wholeData(ByteReader& from, std::size_t bytes) const {
    const auto data = from.take(bytes);
    if (!data) {
      failPoints(path_, "is cut short: " + std::to_string(header_.points) + " points need " +
                            std::to_string(bytes) + " bytes, " + std::to_string(from.left()) +
                            " are there");
    }
    return *data;
  }

  void readBinary() {
    const std::string_view data = wholeData(bytes_, header_.points * header_.stride);
    for (std::size_t i = 0; i < header_.points; ++i) {
      Vec3 p;
      for (int k = 0; k < 3; ++k) {
        p[k] = binaryNumber(data.data() + i * header_.stride + place_[k]->offset, place_[k]->type,
                            place_[k]->size, false);
      }
      points_.add(p);
    }
  }

  /// Compressed as a whole, field by field: all x, then all y, ...
  void readCompressed() {
    const auto sizes = bytes_.take(8);
    if (!sizes) failPoints(path_, "is cut short: its data has no sizes");
    const auto packed_size = static_cast<std::size_t>(binaryNumber(sizes->data(), 'U', 4, false));
    const auto size = static_cast<std::size_t>(binaryNumber(sizes->data() + 4, 'U', 4, false));
    // Held against the header before anything is expanded.
    if (size != header_.points * header_.stride) {
      failPoints(path_, "its data has " + std::to_string(size) + " bytes, its points need " +
                            std::to_string(header_.points * header_.stride));
    }
    if (size > kMostExpanded) failPoints(path_, "its data is larger than 1 GiB");
    const auto packed = bytes_.take(packed_size);
    if (!packed) failPoints(path_, "is cut short: its compressed data ends too early");
    const auto data = lzfExpanded(*packed, size);
    if (!data) failPoints(path_, "its compressed data is broken");
    for (std::size_t i = 0; i < header_.points; ++i) {
      Vec3 p;
      for (int k = 0; k < 3; ++k) {
        const PointField& field = *place_[k];
        const std::size_t at =
            field.offset * header_.points + i * static_cast<std::size_t>(field.size);
        p[k] = binaryNumber(data->data() + at, field.type, field.size, false);
      }
      points_.add(p);
    }
  }

  const std::filesystem::path& path_;
  ByteReader bytes_;
  PointCollector points_;
  StopSteps steps_;
  PcdHeader header_;
  std::array<const PointField*, 3> place_{};
};

}  // namespace

PointFile parsePcd(std::string_view content, const std::filesystem::path& path) {
  return PcdReader(content, path).run();
}

}  // namespace allclear
