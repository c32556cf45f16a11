// STL, COLLADA and OBJ files to a triangle mesh, through assimp.
//
// assimp trusts the sizes and tags of a file, so each format is checked first: an STL's length
// against its count of triangles, an OBJ for text, a COLLADA file in full (collada_check.h). The
// scene's nodes are then walked with their transforms, triangles collected in the order of the
// file, and vertices at the same place (to the bit) merged, so that neighbouring triangles share
// corners and the mesh can be seen to be closed. Transforms that mirror swap two corners: outside
// stays outside.
#include "allclear/robot_models/files/mesh_file.h"

#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>

#include "allclear/core/file.h"
#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/robot_models/files/collada_check.h"

namespace allclear {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 29;
constexpr std::size_t kStlHeader = 84;    // bytes: 80 of text, 4 of count
constexpr std::size_t kStlTriangle = 50;  // bytes: 12 floats and 2 bytes of attributes

[[noreturn]] void fail(const fs::path& path, const std::string& message) {
  throw InputError({path.string(), 0, "", ""}, message);
}

std::string number(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 4).ptr};
}

std::string lowerCaseExtension(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

// A binary STL has exactly the length that its count of triangles asks for, whatever its header
// says
// ("solid" at the start of a binary file is common). Otherwise it may be a text STL.
void checkStl(const std::string& content, const fs::path& path) {
  std::uint32_t count = 0;
  if (content.size() >= kStlHeader) std::memcpy(&count, content.data() + 80, sizeof count);
  const std::size_t needed = kStlHeader + kStlTriangle * std::size_t{count};
  if (content.size() >= kStlHeader && content.size() == needed) {
    if (count == 0) fail(path, "holds no triangle");
    return;
  }
  const bool is_text = content.find('\0') == std::string::npos;
  if (content.starts_with("solid") && is_text) {
    if (content.find("facet") == std::string::npos) fail(path, "holds no triangle");
    if (content.find("endsolid") == std::string::npos) fail(path, "cut short: no 'endsolid'");
    return;
  }
  if (content.size() < kStlHeader) fail(path, "is not an STL file");
  // Trailing bytes are found in real files; missing ones are not to be forgiven.
  if (content.size() < needed) {
    fail(path, "is not an STL file, or cut short: " + std::to_string(content.size()) +
                   " bytes instead of " + std::to_string(needed) + " for " + std::to_string(count) +
                   " triangles");
  }
  if (count == 0) fail(path, "holds no triangle");
}

void checkObj(const std::string& content, const fs::path& path) {
  if (content.find('\0') != std::string::npos)
    fail(path, "is not an OBJ file: it holds binary data");
  if (content.find("v ") == std::string::npos) fail(path, "holds no vertex");
  if (content.find("f ") == std::string::npos) fail(path, "holds no face");
}

/// An OBJ file as assimp has to see it: it takes a byte order mark or blanks before a line's first
/// word for part of that word, and passes the line over. A vertex would be lost unseen, and the
/// faces would take other corners.
std::string plainObj(const std::string& content) {
  std::string plain;
  plain.reserve(content.size());
  std::size_t at = content.starts_with("\xef\xbb\xbf") ? 3 : 0;
  while (at < content.size()) {
    while (at < content.size() && (content[at] == ' ' || content[at] == '\t')) ++at;
    std::size_t end = content.find_first_of("\r\n", at);
    end = end == std::string::npos ? content.size() : end + 1;
    plain.append(content, at, end - at);
    at = end;
  }
  return plain;
}

/// The content for assimp: checked, and for COLLADA reduced.
std::string checkedContent(const std::string& content, const std::string& extension,
                           const fs::path& path) {
  if (content.empty()) fail(path, "is empty");
  if (extension == ".dae") return plainCollada(content, path.string());
  if (extension == ".stl") {
    checkStl(content, path);
  } else if (extension == ".obj") {
    checkObj(content, path);
    return plainObj(content);
  } else {
    fail(path, "unknown mesh format '" + extension + "': .stl, .dae and .obj are read");
  }
  return content;
}

/// Vertices by their place: a hash table of their numbers, half of it free at the least. A vertex
/// whose slot is taken by another one has the next that is free. (A table of nodes takes 0.2 s to
/// grow, and again to free, where there are millions: no time limit would end that.)
class VertexTable {
 public:
  /// The number of the vertex at p, which is added when there is none.
  int at(const Vec3& p, std::vector<Vec3>* vertices) {
    if (2 * (vertices->size() + 1) > slots_.size()) grow(*vertices);
    int& slot = slots_[slotOf(p, *vertices)];
    if (slot < 0) {
      slot = static_cast<int>(vertices->size());
      vertices->push_back(p);
    }
    return slot;
  }

 private:
  /// Places are equal when their bits are; -0 and 0 are the same (adding 0 makes -0 a 0).
  static std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x + 0.0); }
  static bool isSame(const Vec3& p, const Vec3& q) {
    return bits(p.x()) == bits(q.x()) && bits(p.y()) == bits(q.y()) && bits(p.z()) == bits(q.z());
  }

  /// Where p is, or would be.
  std::size_t slotOf(const Vec3& p, const std::vector<Vec3>& vertices) {
    // Fowler, Noll and Vo's multiplier, and a shift for the upper bits.
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (double x : p) {
      hash = (hash ^ bits(x)) * 0x100000001b3ULL;
      hash ^= hash >> 29;
    }
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = (hash ^ hash >> 32) & mask;
    while (slots_[slot] >= 0 && !isSame(vertices[static_cast<std::size_t>(slots_[slot])], p)) {
      steps_.step();
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  void grow(const std::vector<Vec3>& vertices) {
    constexpr std::size_t kFirstSlots = 1024;
    slots_.assign(std::max(kFirstSlots, 2 * slots_.size()), -1);
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      steps_.step();
      slots_[slotOf(vertices[i], vertices)] = static_cast<int>(i);
    }
  }

  std::vector<int> slots_;  ///< a power of two of them; -1: free
  StopSteps steps_;
};

class MeshBuilder {
 public:
  explicit MeshBuilder(const Vec3& scale) : scale_(scale), mirrors_(scale.prod() < 0.0) {}

  // A matrix of negative determinant turns triangles inside out as a mirroring scale does.
  void add(const aiMesh& mesh, const aiMatrix4x4& transform) {
    // Two mirrorings cancel.
    const bool flip = mirrors_ != (transform.Determinant() < 0);
    StopSteps steps;
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
      steps.step();
      const aiFace& face = mesh.mFaces[f];
      if (face.mNumIndices != 3) {  // a point or a line: polygons are triangles by now
        has_other_primitives = true;
        continue;
      }
      Triangle triangle;
      for (int k = 0; k < 3; ++k)
        triangle[k] = vertex(transform * mesh.mVertices[face.mIndices[k]]);
      if (flip) std::swap(triangle[1], triangle[2]);
      triangles.push_back(triangle);
    }
  }

  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  bool has_other_primitives = false;

 private:
  int vertex(const aiVector3D& v) {
    const Vec3 p = scale_.cwiseProduct(Vec3(double{v.x}, double{v.y}, double{v.z}));
    return table_.at(p, &vertices);
  }

  Vec3 scale_;
  bool mirrors_;
  VertexTable table_;
};

void addNode(const aiScene& scene, const aiNode& node, const aiMatrix4x4& X_parent,
             MeshBuilder& builder) {
  const aiMatrix4x4 X = X_parent * node.mTransformation;
  for (unsigned m = 0; m < node.mNumMeshes; ++m) builder.add(*scene.mMeshes[node.mMeshes[m]], X);
  for (unsigned c = 0; c < node.mNumChildren; ++c) addNode(scene, *node.mChildren[c], X, builder);
}

/// assimp frees a face at a time: that, too, is a call that nothing ends.
class SceneEnd {
 public:
  explicit SceneEnd(Assimp::Importer& importer) : importer_(importer) {}
  SceneEnd(const SceneEnd&) = delete;
  SceneEnd& operator=(const SceneEnd&) = delete;
  ~SceneEnd() {
    const LibraryCallTimer timer("assimp");
    importer_.FreeScene();
  }

 private:
  Assimp::Importer& importer_;
};

MeshBuilder imported(const std::string& content, const std::string& extension, const fs::path& path,
                     const Vec3& scale) {
  const ClassicNumbers point;  // assimp reads some numbers by strtod
  Assimp::Importer importer;
  const SceneEnd end(importer);
  // URDF's convention: the axes of the file are the axes of the link, whatever its up axis.
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  throwIfStopped();
  std::optional<LibraryCallTimer> timer("assimp");
  const aiScene* scene = importer.ReadFileFromMemory(content.data(), content.size(),
                                                     aiProcess_Triangulate, extension.c_str() + 1);
  timer.reset();
  if (!scene || !scene->mRootNode) {
    fail(path, "cannot be read as a mesh: " + std::string(importer.GetErrorString()));
  }
  MeshBuilder builder(scale);
  addNode(*scene, *scene->mRootNode, aiMatrix4x4(), builder);
  return builder;
}

void checkExtent(const TriangleMesh& mesh, const MeshOptions& options, const fs::path& path) {
  const double size = extent(mesh);
  if (size > options.largest_extent) {
    fail(path, "is " + number(size) + " m wide, more than " + number(options.largest_extent) +
                   " m: wrong scale? (millimetres need the scale 0.001)");
  }
  if (size < options.smallest_extent) {
    fail(path, "is only " + number(size) + " m wide, less than " + number(options.smallest_extent) +
                   " m: wrong scale?");
  }
}

}  // namespace

TriangleMesh parseMesh(const std::string& content, const fs::path& path,
                       const MeshOptions& options) {
  if (!options.scale.allFinite() || (options.scale.array() == 0.0).any()) {
    fail(path, "scale must be finite and not zero");
  }
  const std::string extension = lowerCaseExtension(path);
  MeshBuilder builder =
      imported(checkedContent(content, extension, path), extension, path, options.scale);
  if (builder.triangles.empty()) {
    fail(path, builder.has_other_primitives ? "holds only points or lines, no triangle"
                                            : "holds no triangle");
  }
  // The mesh itself refuses what makes no surface; only the file's name is added to its message.
  try {
    TriangleMesh mesh(std::move(builder.vertices), std::move(builder.triangles));
    checkExtent(mesh, options, path);
    return mesh;
  } catch (const InputError& error) {
    if (!error.place().file.empty()) throw;
    fail(path, error.message());
  }
}

TriangleMesh loadMesh(const fs::path& path, const MeshOptions& options) {
  return parseMesh(readFile(path, kLargestFile), path, options);
}

double extent(const TriangleMesh& mesh) {
  Vec3 lower = mesh.vertices().front();
  Vec3 upper = lower;
  StopSteps steps;
  for (const Vec3& p : mesh.vertices()) {
    steps.step();
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  return (upper - lower).maxCoeff();
}

}  // namespace allclear
