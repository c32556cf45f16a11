#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "allclear/distance/deforming_mesh.h"

namespace allclear {

/// The files of a sequence. `pattern` is a path whose file name holds one number as printf writes
/// it, `%d` or `%04d` ("curtain_%04d.obj"); the folder's files of that form are the frames, from
/// the least number to the greatest. Throws `InputError` when there is none, when one in between is
/// missing (it names that), or when the name is no such pattern.
std::vector<std::filesystem::path> sequenceFiles(const std::filesystem::path& pattern);

/// Reads the frames as Wavefront (.obj) files: vertices and faces, polygons cut into triangles from
/// their first corner; vertices that are at the same place in all frames become one. Frame i is the
/// keyframe at start + i / rate [s]. `read` gives a file's content. Throws `InputError` naming the
/// file: one that is no OBJ file, has other faces or another number of vertices than the first, a
/// number that is not finite, or a closed mesh whose triangles face inward.
DeformingMesh loadMeshSequence(
    const std::vector<std::filesystem::path>& files, double rate, double start, double scale,
    const std::function<std::string(const std::filesystem::path&)>& read);

}  // namespace allclear
