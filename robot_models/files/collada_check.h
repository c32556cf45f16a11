#pragma once

#include <string>

namespace allclear {

/// Reduces a COLLADA file to what makes its triangles (units, geometries, nodes, the scene) and
/// checks each reference, count and number in it. assimp trusts them: with missing ones it reads
/// memory that is not its own. Throws `InputError` with file and line, also on skinned meshes,
/// trifans, holes and other shapes that assimp would leave out in silence.
std::string plainCollada(const std::string& content, const std::string& file);

}  // namespace allclear
