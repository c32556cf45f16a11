#pragma once

#include <array>
#include <string>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/distance/shape.h"
#include "allclear/planner/certificate/geometry.h"
#include "allclear/planner/problem.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// What moves joints: a coordinate of the trajectory, or one number of an obstacle's motion.
struct ProofSource {
  std::string name;
  bool is_track = false;
  double tube = 0.0;
  std::vector<std::vector<double>> spans;  ///< Bernstein coefficients by interval
};

/// A turn about its z axis or a slide along it, by x = factor * source + offset.
struct ProofNode {
  int parent = -1;
  bool turns = true;
  int source = -1;  ///< -1: held
  double factor = 0.0;
  double offset = 0.0;
  Pose X_PF;
};

/// A convex solid, or the exact surface of a mesh: of a closed one, or of what is open. The origin
/// of its frame G is the centre of a ball that holds it.
struct ProofPiece {
  int node = -1;
  Pose X_NG;
  Shape shape{Sphere(1.0)};
  Vec3 p_GS = Vec3::Zero();               ///< where the shape's own origin is
  std::vector<Vec3> points;               ///< corners of a hull or a mesh, in G
  double thickness = 0.0;                 ///< of a hull: radius of the ball that it is grown by
  std::vector<std::array<int, 3>> parts;  ///< triangles of a mesh, near ones beside each other
  bool is_shell = false;                  ///< these bound no solid
  double radius = 0.0;                    ///< of the ball
  std::vector<int> path;                  ///< nodes from the world to it
  std::vector<int> spread;                ///< of its body (`ProofModel::spreads`)
};

/// The model of a proof (docs/proof.md), as plain numbers: what the verifier gets to see.
struct ProofModel {
  std::vector<double> breaks;  ///< [s], from 0
  std::vector<ProofSource> sources;
  std::vector<ProofNode> nodes;
  std::vector<std::string> bodies;
  std::vector<double> uncertainty;  ///< of each body [m]
  /// By body: the sources xx, yy, zz, xy, xz, yz of the matrix within whose ellipsoid it may be
  /// displaced, along the world's axes; empty where it may not.
  std::vector<std::vector<int>> spreads;
  std::vector<int> link_node;   ///< by link: the node that it moves with
  std::vector<Pose> link_pose;  ///< and its pose there
  /// By body: the node that it moves with, and its pose there.
  std::vector<int> body_node;
  std::vector<Pose> body_pose;
};

/// The time until `end` [s], the coordinates, the joints and the bodies of a problem along a
/// trajectory. The obstacles' motions become chains of slides and turns.
ProofModel proofModel(const Problem& problem, const Trajectory& trajectory, double end,
                      const CertifiedGeometry& geometry);

/// The pieces of a body at a level of fidelity.
std::vector<ProofPiece> proofPieces(const ProofModel& model, const CertifiedGeometry& geometry,
                                    int body, MeshFidelity fidelity);

/// Nodes from the world to `node`, both included.
std::vector<int> pathTo(const ProofModel& model, int node);

}  // namespace allclear
