// What Swift cannot import of GMime and libytnef: GObject cast and type-test macros. No logic.
#ifndef FUNDMAIL_CGMIME_SHIM_H
#define FUNDMAIL_CGMIME_SHIM_H

#include <gmime/gmime.h>
#include <iconv.h>
#include <stdio.h>
#include <ytnef.h>

#endif
