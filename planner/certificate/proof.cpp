// Writes the proof of a certified plan for allclear-verify: the model, the limits, the ends, and
// the cells of every pair (docs/proof.md).
//
// Every pair starts at the level of fidelity at which the certificate proved it, and goes to finer
// ones where the cells of a proof, whose bound is simpler, do not reach the margin. Path
// constraints become pairs as well: a point that has to stay in a box is a body that stays away
// from the six half-spaces around it, and an axis within a cone is a point, the tip of the unit
// vector, that stays away from the half-space beyond its rim. Poses and lines: only certificates.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <set>

#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/fidelity.h"
#include "allclear/planner/certificate/geometry.h"
#include "allclear/planner/certificate/proof_cells.h"
#include "allclear/planner/certificate/proof_claims.h"
#include "allclear/planner/certificate/proof_model.h"
#include "allclear/planner/certificate/proof_outside.h"
#include "allclear/planner/certificate/proof_text.h"
#include "allclear/planner/certificate/relief.h"
#include "allclear/planner/certificate/target_met.h"
#include "allclear/planner/problem/alternatives.h"

namespace allclear {
namespace {

class ProofWriter {
 public:
  ProofWriter(const Problem& problem, const Certificate& certificate)
      : problem_(problem),
        certificate_(certificate),
        trajectory_(certificate.trajectory.trajectory),
        geometry_(certifiedGeometry(problem)),
        model_(proofModel(problem, trajectory_, certificate.covered_until, geometry_)),
        covers_(geometry_.bodies.size()) {
    addPathConstraints();
  }

  Proof run() {
    cells_ = std::make_unique<ProofCells>(model_);
    for (const CertificatePair& pair : certificate_.pairs) {
      int& level = levels_[{pair.a, pair.b}];
      level = std::max(level, static_cast<int>(pair.fidelity));
      reliefs_[{pair.a, pair.b}] = pair.relief;
    }
    for (const ExemptPair& pair : certificate_.exempt_pairs) {
      reasons_[{pair.a, pair.b}] = reasons_[{pair.b, pair.a}] = pair.reason;
    }
    writeHead();
    writeModel();
    provePairs();
    proveKeptAway();
    writeExemptPairs();
    writeLimitsAndEnds(problem_, trajectory_, model_, &pairs_);
    // Which covers are needed shows only while pairs are proven, but a reader needs a cover before
    // its pairs: so each has a text of its own.
    ProofText out;
    out.text = head_.text + covers_text_.text + pairs_.text;
    const auto lines = std::count(out.text.begin(), out.text.end(), '\n');
    out.word("end").count(static_cast<std::size_t>(lines) + 1).end();
    proof_.text = std::move(out.text);
    proof_.cells = cells_->count();
    return std::move(proof_);
  }

 private:
  // --- Head and model.

  /// What the proof is of, and what it leaves to the certificate.
  void writeHead() {
    head_.word("allclear-proof").index(1).end();
    const std::pair<const char*, const std::string*> hashes[] = {
        {"robot", &certificate_.robot_sha256},
        {"task", &certificate_.task_sha256},
        {"trajectory", &certificate_.trajectory_sha256}};
    for (const auto& [name, value] : hashes) {
      if (!value->empty()) head_.word("hash").quoted(name).quoted(*value).end();
    }
    head_.word("breaks");
    for (double t : model_.breaks) head_.number(t);
    head_.end();
    if (!certificate_.tool.empty()) head_.word("tool").quoted(certificate_.tool).end();
    for (const Assumption& assumption : certificate_.assumptions) {
      head_.word("assume").quoted(assumption.kind + ": " + assumption.text).end();
    }
    for (const std::string& text :
         outsideOfProof(problem_, geometry_, certificate_, provesPathConstraints())) {
      head_.word("outside").quoted(text).end();
    }
  }

  void writeModel() {
    for (const ProofSource& source : model_.sources) {
      head_.word(source.is_track ? "track" : "joint").quoted(source.name).number(source.tube);
      for (const auto& span : source.spans) {
        head_.count(span.size());
        for (double b : span) head_.number(b);
      }
      head_.end();
    }
    for (const ProofNode& node : model_.nodes) {
      head_.word("node").index(node.parent).word(node.turns ? "turn" : "slide");
      head_.index(node.source);
      head_.number(node.factor).number(node.offset).pose(node.X_PF).end();
    }
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
      head_.word("body").quoted(model_.bodies[b]).number(model_.uncertainty[b]).end();
      if (model_.spreads[b].empty()) continue;
      head_.word("spread").index(static_cast<int>(b));
      for (int source : model_.spreads[b]) head_.index(source);
      head_.end();
    }
  }

  struct BodyCover {
    int index = -1;  ///< in the file
    std::vector<ProofPiece> pieces;
  };

  const BodyCover& cover(int body, MeshFidelity fidelity) {
    BodyCover& cover = covers_[body][fidelity];
    if (cover.index >= 0) return cover;
    cover.pieces = proofPieces(model_, geometry_, body, fidelity);
    cover.index = writeCover(body, cover.pieces);
    return cover;
  }

  int writeCover(int body, const std::vector<ProofPiece>& pieces) {
    covers_text_.word("cover").index(body).count(pieces.size()).end();
    for (const ProofPiece& piece : pieces) {
      covers_text_.word("piece").index(piece.node).pose(piece.X_NG);
      writeShape(piece);
      covers_text_.end();
    }
    return cover_count_++;
  }

  void writeShape(const ProofPiece& piece) {
    ProofText& out = covers_text_;
    if (const auto* cylinder = std::get_if<Cylinder>(&piece.shape)) {
      out.word("cylinder").number(cylinder->radius()).number(0.5 * cylinder->length());
    } else if (const auto* cone = std::get_if<Cone>(&piece.shape)) {
      out.word("cone").number(cone->radius()).number(0.5 * cone->length());
    } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(&piece.shape)) {
      out.word("ellipsoid").vector(ellipsoid->radii());
    } else if (std::holds_alternative<HalfSpace>(piece.shape)) {
      out.word("plane");
    } else {
      if (piece.parts.empty()) {
        out.word("hull").number(piece.thickness);
      } else {
        out.word(piece.is_shell ? "shell" : "solid");
      }
      out.count(piece.points.size());
      for (const Vec3& x : piece.points) out.vector(x);
      if (piece.parts.empty()) return;
      out.count(piece.parts.size());
      for (const auto& part : piece.parts) out.index(part[0]).index(part[1]).index(part[2]);
    }
  }

  // --- Pairs.
  /// The format has no bodies that bend, and no clouds: `outside` and `exempt` lines say so. Of
  /// fixed bodies that do not touch one cell is enough.
  void provePairs() {
    for (const CertifiedPair& pair : geometry_.pairs) {
      const CertifiedBody& b = geometry_.bodies[pair.b];
      if (b.deforming != nullptr || b.cloud != nullptr) continue;
      if (const char* why = touch(pair)) {
        touching_[{pair.a, pair.b}] = why;
      } else if (pair.fixed) {
        proveAt(pair, MeshFidelity::kHull);
      } else if (!provePair(pair)) {
        open_.insert({pair.a, pair.b});
        proof_.unproven.push_back("'" + model_.bodies[pair.a] + "' and '" + model_.bodies[pair.b] +
                                  "'");
      }
    }
  }

  bool provePair(const CertifiedPair& pair) {
    const auto known = levels_.find({model_.bodies[pair.a], model_.bodies[pair.b]});
    bool proven = false;
    refineUntil([&](MeshFidelity fidelity) {
      if (known != levels_.end() && static_cast<int>(fidelity) < known->second) return false;
      proven = proveAt(pair, fidelity);
      return proven;
    });
    return proven;
  }

  /// A pair of the format has one margin: the least where it is less near an end (`outside` says).
  double leastMargin(const CertifiedPair& pair) const {
    const auto found = reliefs_.find({model_.bodies[pair.a], model_.bodies[pair.b]});
    if (found == reliefs_.end()) return pair.margin;
    const EndRelief& relief = found->second;
    double least = pair.margin;
    if (relief.until > 0.0) least = std::min(least, relief.start_margin);
    if (relief.from < HUGE_VAL) least = std::min(least, relief.goal_margin);
    return least;
  }

  /// How they touch, or null: the format has no margins below zero. (`outside` says so.)
  const char* touch(const CertifiedPair& pair) const {
    if (pair.touchesAtContact()) return "they touch at a contact";
    if (!pair.ends.leaves && !pair.ends.lands) return nullptr;
    const auto found = reliefs_.find({model_.bodies[pair.a], model_.bodies[pair.b]});
    const bool is_relaxed = found != reliefs_.end() && found->second.isNeeded();
    return is_relaxed ? "they may touch near an end" : nullptr;
  }

  bool proveAt(const CertifiedPair& pair, MeshFidelity fidelity) {
    const BodyCover &a = cover(pair.a, fidelity), &b = cover(pair.b, fidelity);
    ProofText lines;
    const double margin = leastMargin(pair);
    lines.word("pair").index(a.index).index(b.index).number(margin).end();
    for (const ProofPiece& A : a.pieces) {
      for (const ProofPiece& B : b.pieces) {
        const double gap = margin + model_.uncertainty[pair.a] + model_.uncertainty[pair.b];
        if (!cells_->prove(A, B, gap, &lines.text)) return false;
      }
    }
    pairs_.text += lines.text;
    settled_.insert({pair.a, pair.b});
    return true;
  }

  // --- Path constraints, as pairs.

  struct KeptAway {
    int body;  ///< of a point
    int beyond;
  };

  int addBody(const std::string& name, int node, const Pose& X_NB) {
    model_.bodies.push_back(name);
    model_.uncertainty.push_back(0.0);  // path constraints are those of the planned motion
    model_.spreads.emplace_back();
    model_.body_node.push_back(node);
    model_.body_pose.push_back(X_NB);
    return static_cast<int>(model_.bodies.size()) - 1;
  }

  /// Path constraints are those of the planned motion: where joints may stray, their sources do,
  /// and what the cells show would be another demand.
  bool provesPathConstraints() const {
    return std::none_of(model_.sources.begin(), model_.sources.end(),
                        [](const ProofSource& source) { return source.tube > 0.0; });
  }

  void addPathConstraints() {
    if (!provesPathConstraints()) return;
    for (std::size_t i = 0; i < problem_.path_constraints.size(); ++i) {
      const std::string name = "path constraint " + std::to_string(i + 1);
      std::visit([&](const auto& keep) { addConstraint(name, keep); },
                 problem_.path_constraints[i]);
    }
  }

  /// The point is one body, each half-space beyond a side of the box another.
  void addConstraint(const std::string& name, const KeepInBox& keep) {
    const int link_node = model_.link_node[keep.link];
    const Pose& X_NL = model_.link_pose[keep.link];
    const Pose X_NP = X_NL * Pose{Mat3::Identity(), keep.p_L};
    const int point = addBody(name + ": point", link_node, X_NP);
    for (int side = 0; side < 6; ++side) {
      // A half-space fills the side of its plane that its z axis points away from.
      const Vec3 inward = (side % 2 == 0 ? 1.0 : -1.0) * keep.X_WB.R.col(side / 2);
      const double half = 0.5 * keep.size[side / 2] + kPathSlack;
      const Pose X_WS{frameAlong(inward), keep.X_WB.p - half * inward};
      kept_away_.push_back({point, addBody(name + ": side " + std::to_string(side + 1), -1, X_WS)});
    }
  }

  /// The axis is a vector: it turns with the link, but does not move with it. So it stands on a
  /// copy of the link's turns, all at one place.
  void addConstraint(const std::string& name, const KeepAxis& keep) {
    const int link_node = model_.link_node[keep.link];
    const Pose& X_NL = model_.link_pose[keep.link];
    int node = -1;
    for (int k : pathTo(model_, link_node)) {
      ProofNode turn = model_.nodes[k];
      turn.parent = node;
      turn.X_PF.p.setZero();
      if (!turn.turns) turn.source = -1, turn.factor = turn.offset = 0.0;
      model_.nodes.push_back(turn);
      node = static_cast<int>(model_.nodes.size()) - 1;
    }
    const Vec3 tip = X_NL.R * keep.axis_L.normalized();
    const int point = addBody(name + ": tip of the axis", node, {Mat3::Identity(), tip});
    const Vec3 along = keep.direction_W.normalized();
    const double rim = std::cos(std::min(keep.tolerance + kPathSlack, std::numbers::pi));
    const Pose X_WS{frameAlong(along), rim * along};
    kept_away_.push_back({point, addBody(name + ": beyond its rim", -1, X_WS)});
  }

  /// The format has no balls about moving points, and no lines: `outside` lines say so.
  void addConstraint(const std::string&, const KeepPose&) {}
  void addConstraint(const std::string&, const KeepOnLine&) {}

  /// A frame whose z axis is `z`.
  static Mat3 frameAlong(const Vec3& z) {
    return Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), z).toRotationMatrix();
  }

  ProofPiece pieceOf(int body, Shape shape) const {
    ProofPiece piece;
    piece.node = model_.body_node[body];
    piece.path = pathTo(model_, piece.node);
    piece.X_NG = model_.body_pose[body];
    piece.shape = std::move(shape);
    if (std::holds_alternative<Sphere>(piece.shape)) piece.points = {Vec3::Zero()};
    return piece;
  }

  void proveKeptAway() {
    std::map<int, int> cover_of;
    for (const KeptAway& keep : kept_away_) {
      // A sphere of no size to speak of; the verifier gets a point.
      const ProofPiece point = pieceOf(keep.body, Sphere(kPointRadius));
      const ProofPiece plane = pieceOf(keep.beyond, HalfSpace());
      if (cover_of.count(keep.body) == 0) cover_of[keep.body] = writeCover(keep.body, {point});
      cover_of[keep.beyond] = writeCover(keep.beyond, {plane});
      ProofText lines;
      lines.word("pair").index(cover_of[keep.body]).index(cover_of[keep.beyond]).number(0.0).end();
      if (cells_->prove(point, plane, 0.0, &lines.text)) {
        pairs_.text += lines.text;
        settled_.insert({keep.body, keep.beyond});
      } else {
        open_.insert({keep.body, keep.beyond});
        proof_.unproven.push_back("'" + model_.bodies[keep.body] + "'");
      }
    }
  }

  /// Of pairs that are not proven: who says that the two need not be kept apart.
  std::string exemptReason(int a, int b) const {
    const int count = static_cast<int>(geometry_.bodies.size());
    if (a >= count || b >= count) return "of a path constraint: no body";
    const auto found = reasons_.find({model_.bodies[a], model_.bodies[b]});
    if (found != reasons_.end()) return found->second;
    if (geometry_.bodies[a].kind == CertifiedBody::Kind::kObstacle) return "both are obstacles";
    if (geometry_.bodies[b].deforming != nullptr) {
      return "not in this proof: the obstacle bends; in the certificate only";
    }
    if (const auto touch = touching_.find({a, b}); touch != touching_.end()) {
      return std::string("not in this proof: ") + touch->second + "; in the certificate only";
    }
    if (geometry_.bodies[b].cloud != nullptr) {
      return "not in this proof: the obstacle is a cloud; in the certificate only";
    }
    return "no planned joint moves one relative to the other";
  }

  void writeExemptPairs() {
    for (int a = 0; a < static_cast<int>(model_.bodies.size()); ++a) {
      for (int b = a + 1; b < static_cast<int>(model_.bodies.size()); ++b) {
        if (settled_.count({a, b}) > 0 || open_.count({a, b}) > 0) continue;
        pairs_.word("exempt").index(a).index(b).quoted(exemptReason(a, b)).end();
      }
    }
  }

  /// What the certificate allows path constraints, with the error of its poses [m or rad].
  static constexpr double kPathSlack = 1e-6;
  static constexpr double kPointRadius = 1e-12;

  const Problem& problem_;
  const Certificate& certificate_;
  const Trajectory& trajectory_;
  CertifiedGeometry geometry_;
  ProofModel model_;
  std::unique_ptr<ProofCells> cells_;
  std::vector<std::map<MeshFidelity, BodyCover>> covers_;
  std::map<std::pair<std::string, std::string>, int> levels_;
  std::map<std::pair<std::string, std::string>, std::string> reasons_;  ///< of exempt pairs
  std::map<std::pair<std::string, std::string>, EndRelief> reliefs_;
  std::vector<KeptAway> kept_away_;
  std::set<std::pair<int, int>> settled_;  ///< pairs of bodies that are proven apart
  std::set<std::pair<int, int>> open_;     ///< that should be and are not: never exempt
  std::map<std::pair<int, int>, const char*> touching_;  ///< that touch, and how: exempt
  ProofText head_, covers_text_, pairs_;
  int cover_count_ = 0;
  Proof proof_;
};

}  // namespace

Proof makeProof(const Problem& problem, const Certificate& certificate) {
  if (alternativesOf(problem) == nullptr) return ProofWriter(problem, certificate).run();
  return makeProof(
      provenGoal(problem, certificate.trajectory.trajectory, certificate.tolerances).problem,
      certificate);
}

}  // namespace allclear
