#pragma once

#include "allclear/planner/certificate.h"

namespace allclear {

/// A sequence as a viewer shows it: one motion of all its joints, with the objects that change
/// hands as obstacles that move along. For looks only: nothing is certified of it.
struct SequenceView {
  Problem problem;          ///< pairs that may touch in some segment are allowed in it
  Certificate certificate;  ///< of the whole's trajectory, with the segments' words and no cells
};

/// Pre: at least one segment, with trajectories of rows.
SequenceView sequenceView(const Sequence& sequence, const SequenceCertificate& certificate);

}  // namespace allclear
