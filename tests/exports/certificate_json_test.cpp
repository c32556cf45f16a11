#include "allclear/exports/certificate_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "allclear/config/values/joint_trajectory.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/core/sha256.h"
#include "allclear/exports/output_files.h"
#include "allclear/exports/output_settings.h"
#include "planner/certificate/certificate_fixture.h"

namespace allclear {
namespace {

using test::armTask;
using test::boxAt;
using test::boxScene;
using test::loadText;
using test::Random;
using test::splineOf;

const char* kAcross = "{lift: 0.1, shoulder: 1.2, elbow: -0.5, wrist: 0.5}";

class CertificateFile : public testing::Test {
 protected:
  CertificateFile()
      : problem_(
            loadText(armTask(kAcross, boxScene(boxAt("box", {0.1, 0.1, 0.1}, {0.7, 0.6, 0.45}))))) {
    Random random(11);
    trajectory_ = splineOf(problem_, 4.0, random, 0.05);
    certificate_ = certify(problem_, *trajectory_);
  }

  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }

  Problem problem_;
  std::optional<Trajectory> trajectory_;
  std::optional<Certificate> certificate_;
  std::vector<std::string> warnings_;
};

TEST_F(CertificateFile, ReadsBackToTheBitAndIsStillValid) {
  const std::string text = formatCertificateJson(*certificate_);
  const Certificate back = parseCertificateJson(text, "c.json");
  EXPECT_EQ(formatCertificateJson(back), text);
  const CertificateVerdict verdict = verifyCertificate(problem_, back);
  EXPECT_TRUE(verdict.valid) << verdict.message;
}

TEST_F(CertificateFile, SoDoesOneWithATube) {
  CertificateOptions options;
  options.cover.widest_tube = true;
  Certificate certificate = certify(problem_, *trajectory_, options);
  ASSERT_TRUE(certificate.tube && std::isfinite(certificate.tube->joints_to_contact));
  EXPECT_TRUE(std::isinf(certificate.tube->factor_to_contact));  // nothing is uncertain
  const std::string text = formatCertificateJson(certificate);
  const Certificate back = parseCertificateJson(text, "c.json");
  EXPECT_EQ(formatCertificateJson(back), text);
  EXPECT_EQ(back.tube->joints_to_margin, certificate.tube->joints_to_margin);
  EXPECT_TRUE(verifyCertificate(problem_, back).valid);
}

TEST_F(CertificateFile, SoDoesOneOfAGoalWithAlternatives) {
  Problem any = problem_;
  const auto goal = std::get<JointTarget>(problem_.goal);
  JointTarget other = goal;
  other.values[1] -= 0.5;
  any.goal = AnyTarget{{{"\"other\"", other}, {"this", goal}}};
  const Certificate certificate = certify(any, *trajectory_);
  ASSERT_EQ(certificate.goal, (ReachedGoal{1, 2, "this"}));
  const std::string text = formatCertificateJson(certificate);
  EXPECT_NE(text.find("\"goal\": {\"alternative\":2,\"of\":2,\"name\":\"this\"}"),
            std::string::npos)
      << text.substr(0, 2000);
  const Certificate back = parseCertificateJson(text, "c.json");
  EXPECT_EQ(back.goal, certificate.goal);
  EXPECT_EQ(formatCertificateJson(back), text);
  EXPECT_TRUE(verifyCertificate(any, back).valid);
  // Another name in the file is refused, and so is a place that there is not.
  const Certificate forged =
      parseCertificateJson(replaced(text, "\"name\":\"this\"", "\"name\":\"that\""), "c.json");
  EXPECT_FALSE(verifyCertificate(any, forged).valid);
  EXPECT_THROW(
      parseCertificateJson(replaced(text, "{\"alternative\":2", "{\"alternative\":0"), "c.json"),
      InputError);
}

TEST_F(CertificateFile, SoDoesOneThatIsNotClear) {
  problem_.obstacles[0].X_WO.p = {0.5, 0.3, 0.6};
  const Certificate refused = certify(problem_, *trajectory_);
  ASSERT_FALSE(refused.clear);
  const std::string text = formatCertificateJson(refused);
  EXPECT_EQ(formatCertificateJson(parseCertificateJson(text, "c.json")), text);
}

TEST_F(CertificateFile, BrokenFilesAreInputErrorsThatNameTheKey) {
  const std::string text = formatCertificateJson(*certificate_);
  const auto complaint = [](const std::string& broken) -> std::string {
    try {
      parseCertificateJson(broken, "c.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(complaint(text.substr(0, text.size() / 2)).find("is not valid JSON: it ends too early"),
            std::string::npos);
  EXPECT_EQ(complaint(""), "c.json: is empty");
  EXPECT_EQ(complaint(replaced(text, "\"clear\": true", "\"clear\": 1")),
            "c.json:6: clear: '1': must be true or false");
  EXPECT_EQ(complaint(replaced(text, "\"margin\"", "\"margni\"")),
            "c.json:10: margni: unknown key (did you mean 'margin'?)");
  EXPECT_EQ(complaint(replaced(text, "\"tolerance\"", "\"margin\"")),
            "c.json:11: key 'margin' is given twice, first on line 10");
  EXPECT_NE(complaint(replaced(text, "\"degree\":5", "\"degree\":99"))
                .find("trajectory.degree: '99': must be between 1 and 15"),
            std::string::npos);
  EXPECT_NE(complaint(replaced(text, "[[0.0,", "[[null,")).find("pairs[0].cells[0][0]"),
            std::string::npos);
  EXPECT_NE(complaint(std::string(100000, '[')), "");
  EXPECT_NE(complaint("[]"), "");
  EXPECT_NE(complaint(replaced(text, "allclear_trajectory", "x")), "");
}

TEST_F(CertificateFile, OutputFilesHoldOneCurveAndItsProof) {
  for (const double rate : {0.0, 100.0}) {
    const test::TaskFolder folder;
    OutputSettings output;
    output.csv = "plan.csv";
    output.trajectory = "plan.json";
    output.certificate = "certificate.json";
    output.proof = "plan.proof";
    output.ros2 = "ros2.yaml";
    output.rate = rate;
    const auto written =
        writeOutputFiles(output, folder.path(), problem_, *trajectory_, &*certificate_, &warnings_);
    EXPECT_EQ(written.size(), 5u);
    EXPECT_TRUE(warnings_.empty());
    for (const auto& path : written) EXPECT_TRUE(std::filesystem::exists(path)) << path;
    const Certificate proof = readCertificateJson(folder.path() / "certificate.json");
    // Each file reads back, as a controller runs it, to the bit of what is proven.
    const std::string ros2 = readFile(folder.path() / "ros2.yaml");
    for (const NamedTrajectory& sent :
         {readTrajectoryFile(folder.path() / "plan.csv", problem_),
          readTrajectoryFile(folder.path() / "plan.json", problem_),
          parseJointTrajectory(ros2, "ros2.yaml", plannedNames(problem_))}) {
      EXPECT_EQ(sent.interpolation(), Interpolation::kQuintic);
      EXPECT_TRUE(isSameTrajectory(sent, proof.trajectory)) << "rate " << rate;
    }
    EXPECT_EQ(proof.trajectory.trajectory.spanCount(), rate == 0.0 ? 7 : 406);
    const CertificateVerdict verdict = verifyCertificate(problem_, proof);
    EXPECT_TRUE(verdict.valid) << verdict.message;
    EXPECT_EQ(proof.sent.at("csv"), sha256(readFile(folder.path() / "plan.csv")));
    EXPECT_EQ(proof.sent.at("ros2"), sha256(ros2));
    EXPECT_EQ(sentFault(problem_, proof), "");
  }
}

/// What nobody checks must not stand in a certificate, in whatever map.
TEST_F(CertificateFile, RefusesKeysThatItDoesNotKnow) {
  CertificateOptions options;
  options.cover.widest_tube = true;
  const std::string text = formatCertificateJson(certify(problem_, *trajectory_, options));
  int maps = 0;
  for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
    std::string forged = text;
    forged.insert(at + 1, R"("Also proven":"no person is ever touched",)");
    try {
      parseCertificateJson(forged, "c.json");
      ADD_FAILURE() << text.substr(at, 100);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("Also proven"), std::string::npos) << error.what();
    }
    ++maps;
  }
  EXPECT_GT(maps, 10);
}

TEST_F(CertificateFile, NamesAVersionOfItsToolAndNothingElse) {
  const std::string text = formatCertificateJson(*certificate_);
  const std::string own = "\"tool\": \"" + certificate_->tool + "\"";
  const auto with = [&](const std::string& tool) {
    return replaced(text, own, "\"tool\": \"" + tool + "\"");
  };
  EXPECT_EQ(parseCertificateJson(with("allclear 12.0.3-rc.1"), "c.json").tool,
            "allclear 12.0.3-rc.1");
  for (const char* tool : {"", "allclear", "allclear ", "allclear x", "allclear 1.0 for people",
                           "another 1.0", "allclear 1.0000000000000000000000000000000000000"}) {
    EXPECT_THROW(parseCertificateJson(with(tool), "c.json"), InputError) << tool;
  }
}

/// A bound that is better than the proven one is not proven, by however little.
TEST_F(CertificateFile, ClaimsNoLimitBetterThanProven) {
  ASSERT_TRUE(verifyCertificate(problem_, *certificate_).valid);
  for (std::size_t i = 0; i < certificate_->limits.size(); ++i) {
    for (double CertifiedLimit::*bound : {&CertifiedLimit::lower, &CertifiedLimit::upper}) {
      const double proven = certificate_->limits[i].*bound;
      if (!std::isfinite(proven)) continue;
      const double by = 1e-7 * std::max(1.0, std::abs(proven));
      const double inward = bound == &CertifiedLimit::lower ? by : -by;
      Certificate forged = *certificate_;
      forged.limits[i].*bound = proven + inward;
      EXPECT_FALSE(verifyCertificate(problem_, forged).valid) << forged.limits[i].quantity;
      forged.limits[i].*bound = proven - inward;  // less is claimed, as on another machine
      EXPECT_TRUE(verifyCertificate(problem_, forged).valid) << forged.limits[i].quantity;
    }
  }
}

TEST_F(CertificateFile, AHashOfAnotherFileIsSeen) {
  const test::TaskFolder folder;
  OutputSettings output;
  output.csv = "plan.csv";
  output.ros2 = "ros2.yaml";
  output.certificate = "certificate.json";
  writeOutputFiles(output, folder.path(), problem_, *trajectory_, &*certificate_, &warnings_);
  const Certificate proof = readCertificateJson(folder.path() / "certificate.json");
  for (const char* kind : {"csv", "ros2"}) {
    Certificate forged = proof;
    forged.sent[kind].back() = forged.sent[kind].back() == '0' ? '1' : '0';
    EXPECT_NE(sentFault(problem_, forged).find(kind), std::string::npos);
  }
  Certificate forged = *certificate_;  // of a spline: no file of rows is that
  forged.sent = proof.sent;
  EXPECT_NE(sentFault(problem_, forged), "");
}

TEST_F(CertificateFile, RowsThatCannotBeCertifiedAreNotWritten) {
  const test::TaskFolder folder;
  OutputSettings output;
  output.csv = "plan.csv";
  output.rate = 100.0;
  problem_.obstacles[0].X_WO.p = {0.5, 0.3, 0.6};  // the certificate given is of another task
  EXPECT_THROW(
      writeOutputFiles(output, folder.path(), problem_, *trajectory_, &*certificate_, &warnings_),
      InputError);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "plan.csv"));
}

}  // namespace
}  // namespace allclear
