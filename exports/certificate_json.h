#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "allclear/planner/certificate.h"

namespace allclear {

/// A certificate as JSON that reads back to the bit:
///
///     {"format": "allclear_certificate", "version": 3, "tool": "allclear 0.2.0",
///      "message": "..", "clear": true,
///      "robot_sha256": "..", "task_sha256": "..", "trajectory_sha256": "..",
///      "margin": 0.001, "tolerance": 0.0001,
///      "tolerances": {"limit": 1e-9, "path": 1e-6, "end": 1e-6},
///      "covered_until": 4.2, "valid_during": [0.0, null],
///      "assumptions": [{"kind": "held joints", "text": "..", "brief": "finger held"}, ..],
///      "exempt_pairs": [{"a": "hand", "b": "finger", "reason": "SRDF: Adjacent"}, ..],
///      "minimum_clearance": [lower, upper], "at": {"pair": ["hand", "box"], "t": 1.2},
///      "closest_pairs": [{"a": "hand", "b": "box", "distance": [lower, upper],
///                         "margin": 0.001, "t": 1.2}, ..],
///      "torque_beyond_rating": {"joint": "elbow", "torque": 32.0, "effort": 30.0, "t": 0.4},
///      "tube": {"joints": [to_contact, to_margin], "factor": [to_contact, to_margin],
///               "at": {"pair": ["hand", "box"], "t": 1.2}},
///      "trajectory": {as trajectory_files.h},
///      "limits": [{"subject": "joint1", "quantity": "velocity", "bounds": [lower, upper],
///                  "limits": [lower, upper], "t": 0.4, "kept": true}, ..],
///      "faults": [..], "static_contacts": [..], "not_covered": [..],
///      "sent": {"csv": "..", "ros2": ".."},
///      "follows": {"within": 0.01, "path": {as trajectory_files.h}},
///      "pairs": [{"a": "hand", "b": "box", "fidelity": 0, "pieces": [0, 0], "margin": 0.001,
///                 "cells": [[t0, t1, lower, nx, ny, nz], ..]}, ..]}
///
/// SI units and radians; infinite numbers are null. `sent` is left out when it is empty; `tube` is
/// there when it was asked for, `torque_beyond_rating` when a joint is, `follows` when the
/// trajectory was made along a path.
std::string formatCertificateJson(const Certificate& certificate);

/// The same, into a file, atomically. Throws `InputError` when it cannot be written.
void writeCertificateJson(const std::filesystem::path& path, const Certificate& certificate);

/// Reads such a file, without checking its claims (that is `verifyCertificate`). Repeated keys are
/// errors. Throws `InputError`
/// with the file, the line and the key.
Certificate readCertificateJson(const std::filesystem::path& path);

/// The same from text; `file` is the name that errors give.
Certificate parseCertificateJson(std::string_view text, const std::string& file);

}  // namespace allclear
