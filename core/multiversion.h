#pragma once

/// Marks a hot kernel (a plain loop over plain arrays, no calls into other translation units) to be
/// compiled for several instruction sets, of which the best one is chosen when the program starts.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(ALLCLEAR_NO_CLONES)
#define ALLCLEAR_MULTIVERSION \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ALLCLEAR_MULTIVERSION
#endif

/// Marks a helper of such a kernel: it must be inlined, or it would be compiled for the default
/// instruction set only.
#if defined(__GNUC__)
#define ALLCLEAR_ALWAYS_INLINE __attribute__((always_inline)) inline
#define ALLCLEAR_INLINE_LAMBDA __attribute__((always_inline))
#else
#define ALLCLEAR_ALWAYS_INLINE inline
#define ALLCLEAR_INLINE_LAMBDA
#endif
