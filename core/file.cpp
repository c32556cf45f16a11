#include "allclear/core/file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "allclear/core/input_error.h"

namespace allclear {
namespace fs = std::filesystem;

std::string readFile(const fs::path& path, std::size_t limit_bytes) {
  const InputPlace place{path.string(), 0, "", ""};
  // A stream opens a folder without an error, and reports a missing file like any other failure.
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() == fs::file_type::not_found) throw InputError(place, "no such file");
  if (status.type() == fs::file_type::directory) throw InputError(place, "is a directory");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(place, std::string("cannot be read: ") + std::strerror(errno));
  std::string content;
  char block[1 << 16];
  while (in.read(block, sizeof block) || in.gcount() > 0) {
    content.append(block, static_cast<std::size_t>(in.gcount()));
    if (content.size() > limit_bytes) {
      throw InputError(place, "is larger than " + std::to_string(limit_bytes >> 20) + " MiB");
    }
  }
  return content;
}

void writeFileAtomically(const fs::path& path, std::string_view content) {
  const InputPlace place{path.string(), 0, "", ""};
  // Renaming replaces a file at once, but only within one file system: the temporary file is beside
  // the final one. The process number keeps two writers of the same file apart.
  fs::path temporary = path;
  temporary += ".tmp" + std::to_string(::getpid());
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    out.flush();
    if (!out) {
      const std::string reason = std::strerror(errno);
      std::error_code ignored;
      fs::remove(temporary, ignored);
      throw InputError(place, "cannot be written: " + reason);
    }
  }
  std::error_code code;
  fs::rename(temporary, path, code);
  if (code) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw InputError(place, "cannot be written: " + code.message());
  }
}

}  // namespace allclear
