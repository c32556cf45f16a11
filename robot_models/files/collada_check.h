#pragma once

#include <string>

namespace allclear {

/// A COLLADA file reduced to what makes its triangles: units, geometries, nodes, the scene; each
/// reference, count and number in it checked. assimp reads past missing attributes, references and
/// numbers into memory that is not there, and leaves out shapes that it does not know in silence.
/// Throws `InputError` with file and line, also on skinned meshes, trifans, holes and other shapes
/// that would be lost.
std::string plainCollada(const std::string& content, const std::string& file);

}  // namespace allclear
