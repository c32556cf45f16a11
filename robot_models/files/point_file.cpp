// Points of clouds from PCD, PLY and XYZ files.
//
// What a header says is held against the bytes that are there before anything is made room for, so
// that a wrong count costs no memory.
#include "allclear/robot_models/files/point_file.h"

#include <array>
#include <cmath>
#include <functional>

#include "allclear/core/input_error.h"
#include "allclear/core/text/csv_table.h"
#include "allclear/distance/cloud.h"
#include "allclear/robot_models/files/byte_reader.h"
#include "allclear/robot_models/files/lzf.h"

namespace allclear {
namespace {

/// A header of more lines is none.
constexpr int kMostHeaderLines = 1000;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& message, int line = 0,
                       std::string_view value = {}) {
  throw InputError({path.string(), line, "", std::string(value)}, message);
}

/// Collects points, and counts those without a place.
class Points {
 public:
  /// `bytes` of the content: a header that promises more points than that gets no room for them.
  Points(const std::filesystem::path& path, std::size_t bytes) : path_(path), bytes_(bytes) {}

  void reserve(std::size_t count) {
    if (count > Cloud::kMostElements) {
      fail(path_, "has " + std::to_string(count) + " points, more than " +
                      std::to_string(Cloud::kMostElements) + ": thin it out");
    }
    out_.points.reserve(std::min(count, bytes_));
  }
  void add(const Vec3& p) {
    if (!p.allFinite()) {
      ++out_.dropped;
      return;
    }
    out_.points.push_back(p);
    if (out_.points.size() > Cloud::kMostElements) reserve(out_.points.size());
  }
  void note(std::string text) { out_.notes.push_back(std::move(text)); }
  PointFile finished() {
    if (out_.points.empty()) {
      fail(path_, out_.dropped > 0 ? "none of its points has a place (all are NaN or infinite)"
                                   : "has no points");
    }
    return std::move(out_);
  }

 private:
  const std::filesystem::path& path_;
  std::size_t bytes_;
  PointFile out_;
};

/// One number of each point.
struct Field {
  std::string name;
  int size = 4;
  char type = 'F';
  std::size_t count = 1;
  std::size_t offset = 0;  ///< [bytes] in a point
};

/// The fields x, y, z among others.
std::array<const Field*, 3> placeFields(const std::vector<Field>& fields,
                                        const std::filesystem::path& path) {
  std::array<const Field*, 3> place{};
  for (const Field& field : fields) {
    for (int k = 0; k < 3; ++k) {
      if (field.name != std::string(1, "xyz"[k])) continue;
      if (place[k] != nullptr || field.count != 1) {
        fail(path, "the field '" + field.name + "' must be there once");
      }
      place[k] = &field;
    }
  }
  for (int k = 0; k < 3; ++k) {
    if (place[k] == nullptr) {
      fail(path, std::string("the field '") + "xyz"[k] + "' is missing");
    }
  }
  return place;
}

bool isNumberType(char type, int size) {
  if (type == 'F') return size == 4 || size == 8;
  return (type == 'I' || type == 'U') && (size == 1 || size == 2 || size == 4 || size == 8);
}

// --- PCD.

struct PcdHeader {
  std::vector<Field> fields;
  std::size_t width = 0, height = 1, points = 0;
  bool has_points = false;
  std::string data;
  std::string viewpoint;
  std::size_t stride = 0;  ///< [bytes] of a point
};

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  for (std::string_view word = takeWord(&text); !word.empty(); word = takeWord(&text)) {
    out.emplace_back(word);
  }
  return out;
}

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
    fail(path_, message, bytes_.line(), value);
  }

  std::size_t counted(const std::string& word) const {
    const auto value = numberOf<std::size_t>(word);
    if (!value) failHere("is no count", word);
    return *value;
  }

  /// One value for each field.
  void forFields(const std::vector<std::string>& values,
                 const std::function<void(Field&, const std::string&)>& set) {
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
      std::vector<std::string> values = words(*line);
      if (values.empty()) continue;
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
      for (const std::string& name : values) header_.fields.push_back({name});
    } else if (key == "SIZE") {
      forFields(values, [&](Field& field, const std::string& word) {
        const std::size_t size = counted(word);
        if (size > 8) failHere("a field has at most 8 bytes", word);
        field.size = static_cast<int>(size);
      });
    } else if (key == "TYPE") {
      forFields(values, [](Field& field, const std::string& word) { field.type = word[0]; });
    } else if (key == "COUNT") {
      forFields(values, [&](Field& field, const std::string& word) {
        field.count = counted(word);
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
    if (!header_.has_points) header_.points = header_.width * header_.height;
    if (header_.width > 0 &&
        (header_.points % header_.width != 0 || header_.points / header_.width != header_.height)) {
      failHere("POINTS is not WIDTH times HEIGHT");
    }
    for (Field& field : header_.fields) {
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
      std::string_view rest = trimmedField(*line);
      if (rest.empty()) continue;
      Vec3 p = Vec3::Zero();
      for (const Field& field : header_.fields) {
        for (std::size_t c = 0; c < field.count; ++c) {
          const std::string_view word = takeWord(&rest);
          if (word.empty()) failHere("a point has too few numbers");
          for (int k = 0; k < 3; ++k) {
            if (place_[k] != &field) continue;
            const auto value = numberOf<double>(word);
            if (!value) failHere("is no number", word);
            p[k] = *value;
          }
        }
      }
      if (!takeWord(&rest).empty()) failHere("a point has too many numbers");
      points_.add(p);
      ++i;
    }
  }

  std::string_view wholeData(ByteReader& from, std::size_t bytes) const {
    const auto data = from.take(bytes);
    if (!data) {
      fail(path_, "is cut short: " + std::to_string(header_.points) + " points need " +
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
    if (!sizes) fail(path_, "is cut short: its data has no sizes");
    const auto packed_size = static_cast<std::size_t>(binaryNumber(sizes->data(), 'U', 4, false));
    const auto size = static_cast<std::size_t>(binaryNumber(sizes->data() + 4, 'U', 4, false));
    if (size != header_.points * header_.stride) {
      fail(path_, "its data has " + std::to_string(size) + " bytes, its points need " +
                      std::to_string(header_.points * header_.stride));
    }
    const auto packed = bytes_.take(packed_size);
    if (!packed) fail(path_, "is cut short: its compressed data ends too early");
    const auto data = lzfExpanded(*packed, size);
    if (!data) fail(path_, "its compressed data is broken");
    for (std::size_t i = 0; i < header_.points; ++i) {
      Vec3 p;
      for (int k = 0; k < 3; ++k) {
        const Field& field = *place_[k];
        const std::size_t at =
            field.offset * header_.points + i * static_cast<std::size_t>(field.size);
        p[k] = binaryNumber(data->data() + at, field.type, field.size, false);
      }
      points_.add(p);
    }
  }

  const std::filesystem::path& path_;
  ByteReader bytes_;
  Points points_;
  PcdHeader header_;
  std::array<const Field*, 3> place_{};
};

// --- PLY.

/// The type and size of a property; size 0 for a word that is none.
Field plyField(const std::string& type) {
  struct Known {
    const char* name;
    char type;
    int size;
  };
  static constexpr Known kKnown[] = {
      {"char", 'I', 1},  {"int8", 'I', 1},    {"uchar", 'U', 1},  {"uint8", 'U', 1},
      {"short", 'I', 2}, {"int16", 'I', 2},   {"ushort", 'U', 2}, {"uint16", 'U', 2},
      {"int", 'I', 4},   {"int32", 'I', 4},   {"uint", 'U', 4},   {"uint32", 'U', 4},
      {"float", 'F', 4}, {"float32", 'F', 4}, {"double", 'F', 8}, {"float64", 'F', 8}};
  Field field;
  field.size = 0;
  for (const Known& known : kKnown) {
    if (type != known.name) continue;
    field.type = known.type;
    field.size = known.size;
  }
  return field;
}

class PlyReader {
 public:
  PlyReader(std::string_view content, const std::filesystem::path& path)
      : path_(path), bytes_(content), points_(path, content.size()) {}

  PointFile run() {
    readHeader();
    for (const Element& element : elements_) {
      if (element.name != "vertex") {
        skip(element);
        continue;
      }
      if (element.has_list) fail(path_, "a vertex with a list is not read");
      place_ = placeFields(element.fields, path_);
      points_.reserve(element.count);
      read(element);
      return points_.finished();  // what comes after the vertices (faces) does not count
    }
    fail(path_, "has no element 'vertex'");
  }

 private:
  struct Element {
    std::string name;
    std::size_t count = 0;
    std::vector<Field> fields;
    std::size_t stride = 0;
    bool has_list = false;
  };

  [[noreturn]] void failHere(const std::string& message, std::string_view value = {}) const {
    fail(path_, message, bytes_.line(), value);
  }

  void readHeader() {
    const auto first = bytes_.nextLine();
    if (!first || *first != "ply") failHere("is no PLY file: it does not begin with 'ply'");
    for (int i = 0; i < kMostHeaderLines; ++i) {
      const auto line = bytes_.nextLine();
      if (!line) break;
      const std::vector<std::string> w = words(*line);
      if (w.empty() || w[0] == "comment" || w[0] == "obj_info") continue;
      if (w[0] == "end_header") {
        if (format_.empty()) failHere("its header names no format");
        return;
      }
      readEntry(w);
    }
    failHere("its header has no end_header");
  }

  void readEntry(const std::vector<std::string>& w) {
    if (w[0] == "format" && w.size() == 3) {
      if (w[1] != "ascii" && w[1] != "binary_little_endian" && w[1] != "binary_big_endian") {
        failHere("is no format of PLY", w[1]);
      }
      format_ = w[1];
    } else if (w[0] == "element" && w.size() == 3) {
      const auto count = numberOf<std::size_t>(w[2]);
      if (!count) failHere("is no count", w[2]);
      elements_.push_back({w[1], *count, {}, 0, false});
    } else if (w[0] == "property" && !elements_.empty() && w.size() == 5 && w[1] == "list") {
      elements_.back().has_list = true;
    } else if (w[0] == "property" && !elements_.empty() && w.size() == 3) {
      Field field = plyField(w[1]);
      if (field.size == 0) failHere("is no type of PLY", w[1]);
      field.name = w[2];
      field.offset = elements_.back().stride;
      elements_.back().stride += static_cast<std::size_t>(field.size);
      elements_.back().fields.push_back(field);
    } else {
      failHere("is no entry of a PLY header", w[0]);
    }
  }

  /// The bytes of an element; what they need is first held against what is there.
  std::string_view dataOf(const Element& element) {
    if (element.stride == 0 || element.count > bytes_.left() / element.stride) {
      fail(path_, "is cut short: its element '" + element.name + "' needs more bytes");
    }
    return *bytes_.take(element.count * element.stride);
  }

  void skip(const Element& element) {
    if (element.has_list) {
      fail(path_, "its element '" + element.name + "' has lists and comes before the vertices");
    }
    if (format_ != "ascii") {
      if (element.count > 0) dataOf(element);
      return;
    }
    for (std::size_t i = 0; i < element.count; ++i) {
      if (!bytes_.nextLine()) failHere("ends too early");
    }
  }

  void read(const Element& vertices) {
    if (format_ == "ascii") return readAscii(vertices);
    const std::string_view data = dataOf(vertices);
    const bool big = format_ == "binary_big_endian";
    for (std::size_t i = 0; i < vertices.count; ++i) {
      Vec3 p;
      for (int k = 0; k < 3; ++k) {
        p[k] = binaryNumber(data.data() + i * vertices.stride + place_[k]->offset, place_[k]->type,
                            place_[k]->size, big);
      }
      points_.add(p);
    }
  }

  void readAscii(const Element& vertices) {
    for (std::size_t i = 0; i < vertices.count; ++i) {
      const auto line = bytes_.nextLine();
      if (!line) {
        failHere("ends after " + std::to_string(i) + " of " + std::to_string(vertices.count) +
                 " vertices");
      }
      std::string_view rest = trimmedField(*line);
      Vec3 p = Vec3::Zero();
      for (const Field& field : vertices.fields) {
        const std::string_view word = takeWord(&rest);
        const auto value = numberOf<double>(word);
        if (!value) failHere(word.empty() ? "a vertex has too few numbers" : "is no number", word);
        for (int k = 0; k < 3; ++k) {
          if (place_[k] == &field) p[k] = *value;
        }
      }
      if (!takeWord(&rest).empty()) failHere("a vertex has too many numbers");
      points_.add(p);
    }
  }

  const std::filesystem::path& path_;
  ByteReader bytes_;
  Points points_;
  std::string format_;
  std::vector<Element> elements_;
  std::array<const Field*, 3> place_{};
};

PointFile parseXyz(std::string_view content, const std::filesystem::path& path) {
  ByteReader bytes(content);
  Points points(path, content.size());
  while (const auto line = bytes.nextLine()) {
    std::string_view rest = trimmedField(*line);
    if (rest.empty() || rest.starts_with('#') || rest.starts_with("//")) continue;
    Vec3 p = Vec3::Zero();
    int count = 0;
    for (std::string_view word = takeWord(&rest); !word.empty(); word = takeWord(&rest), ++count) {
      const auto value = numberOf<double>(word);
      if (!value) fail(path, "is no number", bytes.line(), word);
      if (count < 3) p[count] = *value;
    }
    if (count < 3) fail(path, "a point needs three numbers", bytes.line());
    points.add(p);
  }
  return points.finished();
}

}  // namespace

PointFile parsePoints(std::string_view content, const std::filesystem::path& path) {
  std::string suffix = path.extension().string();
  for (char& c : suffix) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (suffix == ".pcd") return PcdReader(content, path).run();
  if (suffix == ".ply") return PlyReader(content, path).run();
  if (suffix == ".xyz") return parseXyz(content, path);
  fail(path, "is no file of points: its name ends in neither .pcd, .ply nor .xyz");
}

}  // namespace allclear
