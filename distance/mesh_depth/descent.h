#pragma once

#include <optional>
#include <vector>

#include "allclear/distance/mesh_depth/nearest_beyond.h"
#include "allclear/distance/mesh_depth/translation_space.h"

namespace allclear::mesh {

/// Lengths of free translations are compared with room for the clearance at both ends, and for
/// rounding: this many clearances.
inline constexpr double kClearancesOfStep = 4.0;

/// Shortens a free translation in contact, step by step, to one that none near it is shorter than.
/// Keeps its memory from one descent to the next. Borrows the space.
class ContactDescent {
 public:
  explicit ContactDescent(TranslationSpace* space) : space_(*space) {}

  /// A step must shorten the translation by this share of its length.
  void setLeastGain(double share) { least_gain_ = share; }

  /// The translation at the end of a descent from t, where `planes` are those of the contact.
  Vec3 descend(Vec3 t, const std::vector<ContactPlane>& planes);

  int lines = 0;  ///< lines searched so far

 private:
  double lengthToBeat(const Vec3& t) const;
  bool jumpTo(const std::optional<NearestBeyond>& target, Vec3* t);
  bool jumpBeyondRecent(Vec3* t);
  bool slideTowards(const std::optional<NearestBeyond>& target, Vec3* t);
  void restoreClearance(Vec3* t) const;
  bool jumpWithoutOnePlane(const std::optional<NearestBeyond>& target, Vec3* t);
  void rememberPlanes();
  bool addPlanes(const std::vector<ContactPlane>& planes);

  TranslationSpace& space_;
  double least_gain_ = 1e-3;          ///< a coarse one, until set
  std::vector<ContactPlane> planes_;  ///< of the translation that the descent is at
  std::vector<ContactPlane> recent_;  ///< of translations that it came by
  std::vector<ContactPlane> next_planes_, with_recent_, fewer_;  ///< memory
};

}  // namespace allclear::mesh
