// Makes the kernels of a program choose the version for one level of x86-64, whatever the machine
// has: 1 the plainest, 3 with AVX2 and FMA, 4 with AVX-512.
//
// GCC's resolvers of `target_clones` read what libgcc has found out about the processor: three
// symbols of one object of libgcc.a, which the linker does not take when the program has its own.
// Which bit stands for a level differs between versions of GCC; so bits are tried until the
// compiler's own question is answered with yes. No function of a library may be called here: the
// resolvers run before the program is linked.
extern "C" {

struct {
  unsigned vendor, type, subtype, features[1];
} __cpu_model;
unsigned __cpu_features2[16];

int __cpu_indicator_init() {
  __cpu_model.vendor = 1;  // not 0, which means "not asked yet"
#if ALLCLEAR_LEVEL == 3
  const auto is_set = [] { return __builtin_cpu_supports("x86-64-v3") != 0; };
#elif ALLCLEAR_LEVEL == 4
  const auto is_set = [] { return __builtin_cpu_supports("x86-64-v4") != 0; };
#else
  const auto is_set = [] { return true; };
#endif
  for (unsigned word = 0; word < 17; ++word) {
    unsigned& features = word == 0 ? __cpu_model.features[0] : __cpu_features2[word - 1];
    for (unsigned bit = 0; bit < 32 && !is_set(); ++bit) {
      features = 1U << bit;
      asm volatile("" ::: "memory");  // the compiler does not see that its question reads this
      if (!is_set()) features = 0;
      asm volatile("" ::: "memory");
    }
  }
  return 0;
}

}  // extern "C"
