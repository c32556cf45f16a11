// Grey PNG pictures by libpng, where the build has it (ALLCLEAR_WITH_PNG).
#include "allclear/robot_models/files/png_picture.h"

#include "allclear/core/input_error.h"
#include "allclear/distance/cloud.h"

#ifdef ALLCLEAR_HAVE_PNG
#include <png.h>

#include <cstring>
#include <string>

#include "allclear/core/stop_scope.h"
#include "allclear/robot_models/files/byte_reader.h"
#endif

namespace allclear {

#ifdef ALLCLEAR_HAVE_PNG
namespace {

/// What libpng's callbacks see.
struct Source {
  ByteReader bytes;
  std::string fault;
};

[[noreturn]] void onError(png_structp png, png_const_charp message) {
  static_cast<Source*>(png_get_error_ptr(png))->fault = message;
  png_longjmp(png, 1);
}
void onWarning(png_structp /*png*/, png_const_charp /*message*/) {}
void onRead(png_structp png, png_bytep out, png_size_t count) {
  auto* source = static_cast<Source*>(png_get_io_ptr(png));
  const auto taken = source->bytes.take(count);
  if (!taken) png_error(png, "is cut short");
  std::memcpy(out, taken->data(), count);
}

/// Reads into `rows` (of `stride` bytes each) between set-up and clean-up. No object with a
/// destructor is made here: libpng reports errors by a jump over it.
bool readRows(png_structp png, png_infop info, Source* source, png_uint_32* width,
              png_uint_32* height, int* depth, std::string* data) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_read_fn(png, source, onRead);
  png_read_info(png, info);
  int colour = 0, interlace = 0;
  png_get_IHDR(png, info, width, height, depth, &colour, &interlace, nullptr, nullptr);
  if (colour != PNG_COLOR_TYPE_GRAY) png_error(png, "is not a grey picture without transparency");
  if (*height > Cloud::kMostElements / *width) png_error(png, "has too many values");
  if (*depth < 8) png_set_packing(png);  // a byte for each value, which stays as it is
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  const std::size_t stride = png_get_rowbytes(png, info);
  data->assign(stride * *height, '\0');
  for (int pass = 0; pass < passes; ++pass) {
    for (png_uint_32 y = 0; y < *height; ++y) {
      if ((y & 255U) == 0 && isStopped()) png_error(png, "is given up");
      png_read_row(png, reinterpret_cast<png_bytep>(data->data() + y * stride), nullptr);
    }
  }
  png_read_end(png, nullptr);
  return true;
}

}  // namespace

NumberGrid parsePng(std::string_view content, const std::filesystem::path& path) {
  Source source{ByteReader(content), ""};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, onError, onWarning);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  png_uint_32 width = 0, height = 0;
  int depth = 0;
  std::string data;
  // Cleaned up in any case before an error is thrown.
  const bool is_read =
      info != nullptr && readRows(png, info, &source, &width, &height, &depth, &data);
  png_destroy_read_struct(&png, &info, nullptr);
  throwIfStopped();
  if (!is_read) {
    throw InputError({path.string(), 0, "", ""}, "is no picture that is read: " + source.fault);
  }
  NumberGrid grid;
  grid.columns = width;
  grid.rows = height;
  const std::size_t bytes = depth == 16 ? 2 : 1;
  grid.values.reserve(grid.columns * grid.rows);
  for (std::size_t i = 0; i < grid.columns * grid.rows; ++i) {
    grid.values.push_back(
        binaryNumber(data.data() + i * bytes, 'U', static_cast<int>(bytes), true));
  }
  return grid;
}

#else

NumberGrid parsePng(std::string_view /*content*/, const std::filesystem::path& path) {
  throw InputError({path.string(), 0, "", ""},
                   "is a PNG picture, and this build has no libpng: save it as .pgm with 16 bits");
}

#endif

}  // namespace allclear
