// Sequences of OBJ files to a mesh that bends.
//
// Frames have to share their triangles, which a general reader may reorder, merge or drop from file
// to file. So the few lines of the format that count ("v x y z" and "f a b c") are read here, in
// the order of the file.
#include "allclear/robot_models/files/mesh_sequence_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"

namespace allclear {
namespace fs = std::filesystem;
namespace {

// More than an hour at 25 frames a second: such a pattern has met a folder of something else.
constexpr int kMostFrames = 100000;
// Every number of nine digits is an int.
constexpr int kMostDigits = 9;

[[noreturn]] void fail(const fs::path& path, const std::string& message, int line = 0) {
  throw InputError({path.string(), line, "", ""}, message);
}

/// A name with one number in it. The pattern is read by hand: printf would trust it.
struct Pattern {
  std::string before, after;
  int digits = 0;  ///< padded with zeros to so many; 0: not padded

  std::string name(int number) const {
    std::string text = std::to_string(number);
    if (static_cast<int>(text.size()) < digits) text.insert(0, digits - text.size(), '0');
    return before + text + after;
  }
  /// What stands in the number's place; empty when the file has another form.
  std::string digitsOf(const std::string& file) const {
    if (!file.starts_with(before) || !file.ends_with(after) ||
        file.size() <= before.size() + after.size()) {
      return "";
    }
    const std::string text = file.substr(before.size(), file.size() - before.size() - after.size());
    return text.find_first_not_of("0123456789") == std::string::npos ? text : "";
  }
  /// The number of a file of this form.
  std::optional<int> number(const std::string& file) const {
    const std::string text = digitsOf(file);
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
    // The number has to give the name back: "frame_7" is no frame of "frame_%03d", and of two names
    // with the same number only one can belong to the sequence.
    return name(value) == file ? std::optional(value) : std::nullopt;
  }
};

/// The name between its parts, or an error. A second "%" is refused, too: nothing would say which
/// of two numbers counts the time.
Pattern patternOf(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::size_t percent = name.find('%');
  const auto refuse = [&]() {
    fail(path,
         "names no sequence: the file name needs one number, like frame_%04d.obj (one file with "
         "animated vertices, as glTF or Alembic, is not read: export a sequence of .obj files)");
  };
  if (percent == std::string::npos) refuse();
  // After the sign: nothing or a width with a leading zero, then d.
  std::size_t at = percent + 1;
  Pattern pattern;
  pattern.before = name.substr(0, percent);
  if (at < name.size() && name[at] == '0') {
    const auto [end, error] =
        std::from_chars(name.data() + at, name.data() + name.size(), pattern.digits);
    if (error != std::errc() || pattern.digits < 1 || pattern.digits > kMostDigits) refuse();
    at = static_cast<std::size_t>(end - name.data());
  }
  if (at >= name.size() || name[at] != 'd') refuse();
  pattern.after = name.substr(at + 1);
  if (pattern.after.find('%') != std::string::npos) refuse();
  if (!pattern.after.ends_with(".obj")) {
    fail(path, "the frames of a sequence are .obj files, which keep their triangles in order");
  }
  return pattern;
}

struct Frame {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
};

/// Reads words of one file.
class ObjReader {
 public:
  ObjReader(const std::string& text, const fs::path& path) : text_(text), path_(path) {}

  Frame run() {
    // A byte order mark is no part of the first word: its vertex would be lost unseen.
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    StopSteps steps;
    while (at_ < text_.size()) {
      steps.step();
      ++line_;
      std::size_t end = text_.find('\n', at_);
      if (end == std::string::npos) end = text_.size();
      readLine({text_.data() + at_, end - at_});
      at_ = end + 1;
    }
    if (frame_.vertices.empty()) fail(path_, "holds no vertex");
    if (frame_.triangles.empty()) fail(path_, "holds no face");
    return std::move(frame_);
  }

 private:
  static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  static std::string_view word(std::string_view* line) {
    while (!line->empty() && isBlank(line->front())) line->remove_prefix(1);
    std::size_t n = 0;
    while (n < line->size() && !isBlank((*line)[n])) ++n;
    const std::string_view out = line->substr(0, n);
    line->remove_prefix(n);
    return out;
  }

  /// Normals, texture coordinates, materials and names of groups change neither places nor
  /// triangles: they are passed over, as are the colours that may follow a vertex. A single fourth
  /// number is a weight that divides the other three: only 1 is taken.
  void readLine(std::string_view line) {
    const std::string_view key = word(&line);
    if (key == "v") {
      Vec3 p;
      for (int i = 0; i < 3; ++i) p[i] = number(word(&line));
      const std::string_view weight = word(&line);
      if (!weight.empty() && word(&line).empty() && number(weight) != 1.0) {
        fail(path_, "the vertex has the weight " + std::string(weight) + ": only 1 is read", line_);
      }
      frame_.vertices.push_back(p);
    } else if (key == "f") {
      readFace(line);
    }
  }

  double number(std::string_view text) const {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
      fail(path_, "'" + std::string(text) + "' is no finite coordinate", line_);
    }
    return value;
  }

  /// "7", "7/1", "7//3", "-1": numbers from 1, or back from the last vertex so far.
  int index(std::string_view text) const {
    const std::string_view first = text.substr(0, text.find('/'));
    int value = 0;
    const auto [end, error] = std::from_chars(first.data(), first.data() + first.size(), value);
    const int count = static_cast<int>(frame_.vertices.size());
    if (value < 0) value += count + 1;
    if (error != std::errc() || end != first.data() + first.size() || value < 1 || value > count) {
      fail(path_, "'" + std::string(text) + "' is no vertex of a face", line_);
    }
    return value - 1;
  }

  /// A fan about the first corner. A bent polygon has other surfaces by its other diagonals; what
  /// matters here is that all frames take the same ones, else the surface would jump between two of
  /// them.
  void readFace(std::string_view line) {
    std::vector<int> corners;
    for (std::string_view text = word(&line); !text.empty(); text = word(&line)) {
      corners.push_back(index(text));
    }
    if (corners.size() < 3) fail(path_, "a face needs three corners", line_);
    for (std::size_t i = 2; i < corners.size(); ++i) {
      frame_.triangles.push_back({corners[0], corners[i - 1], corners[i]});
    }
  }

  const std::string& text_;
  const fs::path& path_;
  std::size_t at_ = 0;
  int line_ = 0;
  Frame frame_;
};

/// Vertices that are at the same place in every frame become one, so that parts can be seen to be
/// closed.
/// Programs that write OBJ files often split a vertex where its normal or texture jumps. The two
/// sides then share no edge, and a closed skin would count as sheets, without an inside. Only
/// vertices that agree exactly, and in all frames, are one: two that meet in some frames (a fold
/// that closes) must be free to part again. Kept in the order of their first place, so that the
/// result does not depend on the map.
void weld(std::vector<std::vector<Vec3>>* keyframes, std::vector<Triangle>* triangles) {
  std::map<std::vector<double>, int> places;
  std::vector<int> kept;
  std::vector<int> number;
  for (std::size_t v = 0; v < (*keyframes)[0].size(); ++v) {
    throwIfStopped();
    std::vector<double> place;
    for (const auto& keyframe : *keyframes) {
      for (int i = 0; i < 3; ++i) place.push_back(keyframe[v][i] + 0.0);  // -0 is 0
    }
    const auto [entry, is_new] =
        places.try_emplace(std::move(place), static_cast<int>(kept.size()));
    if (is_new) kept.push_back(static_cast<int>(v));
    number.push_back(entry->second);
  }
  if (kept.size() == number.size()) return;
  for (Triangle& triangle : *triangles) {
    for (int& v : triangle) v = number[v];
  }
  for (auto& keyframe : *keyframes) {
    std::vector<Vec3> fewer;
    for (const int v : kept) fewer.push_back(keyframe[v]);
    keyframe = std::move(fewer);
  }
}

}  // namespace

std::vector<fs::path> sequenceFiles(const fs::path& path) {
  const Pattern pattern = patternOf(path);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<int> numbers;
  std::string other;  // the first by name whose number is padded otherwise
  std::error_code error;
  // The folder is listed instead of asked for one number after the other: so a gap can be told from
  // the end, and the first frame may have any number.
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string file = it->path().filename().string();
    if (const auto number = pattern.number(file)) {
      numbers.push_back(*number);
    } else if (!pattern.digitsOf(file).empty() && (other.empty() || file < other)) {
      other = file;
    }
  }
  if (error) fail(folder, "cannot be read: " + error.message());
  if (numbers.empty()) {
    fail(path, "there is no file of this form, such as " + pattern.name(0) +
                   (other.empty() ? "" : "; there is " + other));
  }
  // With %d for frame_00 to frame_11 the first ten would be left out unseen.
  if (!other.empty()) {
    fail(path, "leaves out " + other +
                   ", whose number has other zeros in front: name all frames "
                   "alike, or move that file elsewhere");
  }
  std::sort(numbers.begin(), numbers.end());
  if (numbers.size() > static_cast<std::size_t>(kMostFrames)) {
    fail(path, "has more than " + std::to_string(kMostFrames) + " frames");
  }
  // One after the other: a gap is a lost file, not a jump in time.
  std::vector<fs::path> files;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const int expected = numbers[0] + static_cast<int>(i);
    if (numbers[i] != expected) {
      fail(folder / pattern.name(expected), "this frame is missing: the sequence goes from " +
                                                pattern.name(numbers.front()) + " to " +
                                                pattern.name(numbers.back()));
    }
    files.push_back(folder / pattern.name(expected));
  }
  return files;
}

DeformingMesh loadMeshSequence(const std::vector<fs::path>& files, double rate, double start,
                               double scale,
                               const std::function<std::string(const fs::path&)>& read) {
  std::vector<Triangle> triangles;
  std::vector<std::vector<Vec3>> keyframes;
  std::vector<double> times;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string text = read(files[i]);
    Frame frame = ObjReader(text, files[i]).run();
    for (Vec3& p : frame.vertices) p *= scale;
    // Triangles by the numbers of their corners, in order: that vertex v is the same point of the
    // material in all frames follows from nothing else.
    if (i == 0) triangles = frame.triangles;
    if (frame.triangles != triangles) {
      fail(files[i], "has other triangles than " + files[0].filename().string());
    }
    if (i > 0 && frame.vertices.size() != keyframes[0].size()) {
      fail(files[i], "has " + std::to_string(frame.vertices.size()) + " vertices, " +
                         files[0].filename().string() + " has " +
                         std::to_string(keyframes[0].size()));
    }
    keyframes.push_back(std::move(frame.vertices));
    // Not added up: the last time is as exact as the first.
    times.push_back(start + static_cast<double>(i) / rate);
  }
  weld(&keyframes, &triangles);
  // Its own checks name a keyframe; a user knows files.
  try {
    return DeformingMesh(std::move(triangles), std::move(keyframes), std::move(times));
  } catch (const InputError& error) {
    const std::string& text = error.message();
    std::size_t k = 0;
    if (text.starts_with("keyframe ")) {
      std::from_chars(text.data() + 9, text.data() + text.size(), k);
    }
    fail(files[std::min(k, files.size() - 1)], text);
  }
}

}  // namespace allclear
