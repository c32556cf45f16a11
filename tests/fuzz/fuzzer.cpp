// All targets as one libFuzzer program, so that the libraries are linked once.
//
//   fuzz_all --seeds FOLDER        writes each target's seeds to FOLDER/NAME/
//   ALLCLEAR_FUZZ=NAME fuzz_all FOLDER/NAME [libFuzzer's options]
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "allclear/core/file.h"
#include "fuzz/targets.h"
#include "support/data.h"

namespace {

using allclear::fuzz::Target;

const Target* chosen = nullptr;

void writeSeeds(const std::vector<Target>& targets, const std::filesystem::path& source,
                const std::filesystem::path& out) {
  for (const Target& target : targets) {
    const std::filesystem::path folder = out / target.name;
    std::filesystem::create_directories(folder);
    int count = 0;
    std::vector<std::string> all = target.texts;
    for (const std::string& file : target.seeds) all.push_back(allclear::readFile(source / file));
    for (const std::string& text : all) {
      allclear::writeFileAtomically(folder / ("seed" + std::to_string(count++)), text);
    }
    std::printf("%s\n", target.name.c_str());
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const std::filesystem::path source = allclear::test::testFolder().parent_path();
  static const std::vector<Target> all = allclear::fuzz::targets(source);
  if (*argc == 3 && std::string((*argv)[1]) == "--seeds") {
    writeSeeds(all, source, (*argv)[2]);
    std::exit(0);
  }
  const char* name = std::getenv("ALLCLEAR_FUZZ");
  for (const Target& target : all) {
    if (name != nullptr && target.name == name) chosen = &target;
  }
  allclear::fuzz::require(chosen != nullptr, "ALLCLEAR_FUZZ names a target");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  allclear::fuzz::runOn(*chosen, {reinterpret_cast<const char*>(data), size});
  return 0;
}
