// Points from PLY files: a header that names elements and their properties, then all of one element
// after the other. Only the vertices' x, y, z count; faces are not read.
#include <array>

#include "allclear/core/input_error.h"
#include "allclear/robot_models/files/byte_reader.h"
#include "allclear/robot_models/files/point_fields.h"

namespace allclear {
namespace {

/// The type and size of a property; size 0 for a word that is none.
PointField plyField(const std::string& type) {
  struct Known {
    const char* name;
    char type;
    int size;
  };
  // Old and new names of the same types.
  static constexpr Known kKnown[] = {
      {"char", 'I', 1},  {"int8", 'I', 1},    {"uchar", 'U', 1},  {"uint8", 'U', 1},
      {"short", 'I', 2}, {"int16", 'I', 2},   {"ushort", 'U', 2}, {"uint16", 'U', 2},
      {"int", 'I', 4},   {"int32", 'I', 4},   {"uint", 'U', 4},   {"uint32", 'U', 4},
      {"float", 'F', 4}, {"float32", 'F', 4}, {"double", 'F', 8}, {"float64", 'F', 8}};
  PointField field;
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
      if (element.has_list) failPoints(path_, "a vertex with a list is not read");
      place_ = placeFields(element.fields, path_);
      points_.reserve(element.count);
      read(element);
      return points_.finished();  // what comes after the vertices (faces) does not count
    }
    failPoints(path_, "has no element 'vertex'");
  }

 private:
  struct Element {
    std::string name;
    std::size_t count = 0;
    std::vector<PointField> fields;
    std::size_t stride = 0;
    bool has_list = false;
  };

  [[noreturn]] void failHere(const std::string& message, std::string_view value = {}) const {
    failPoints(path_, message, bytes_.line(), value);
  }

  void readHeader() {
    const auto first = bytes_.nextLine();
    if (!first || *first != "ply") failHere("is no PLY file: it does not begin with 'ply'");
    // Comments may stand anywhere.
    for (int i = 0; i < kMostHeaderLines; ++i) {
      const auto line = bytes_.nextLine();
      if (!line) break;
      const std::vector<std::string> w = wordsOf(*line);
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
    // A property belongs to the element named last.
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
      PointField field = plyField(w[1]);
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
      failPoints(path_, "is cut short: its element '" + element.name + "' needs more bytes");
    }
    return *bytes_.take(element.count * element.stride);
  }

  void skip(const Element& element) {
    if (element.has_list) {
      failPoints(path_,
                 "its element '" + element.name + "' has lists and comes before the vertices");
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
      std::string_view rest = trimmed(*line);
      // Every property is there, though only three of them count.
      Vec3 p = Vec3::Zero();
      for (const PointField& field : vertices.fields) {
        const std::string_view word = takeWord(&rest);
        const auto value = numberOf<double>(word);
        if (!value) failHere(word.empty() ? "a vertex has too few numbers" : "is no number", word);
        for (int k = 0; k < 3; ++k) {
          if (place_[k] == &field) p[k] = *value;
        }
      }
      if (!takeWord(&rest).empty()) failHere("a vertex has too many numbers");
      points_.add(p, bytes_.line());
    }
  }

  const std::filesystem::path& path_;
  ByteReader bytes_;
  PointCollector points_;
  std::string format_;
  std::vector<Element> elements_;
  std::array<const PointField*, 3> place_{};
};

}  // namespace

PointFile parsePly(std::string_view content, const std::filesystem::path& path) {
  return PlyReader(content, path).run();
}

}  // namespace allclear
