// libxxhash, of which only XXH3 with 64 bits is used. No logic.
#ifndef FUNDMAIL_CXXHASH_SHIM_H
#define FUNDMAIL_CXXHASH_SHIM_H

#include <xxhash.h>

#endif
