#pragma once

/// The files that FundServer holds: texts without NUL. Swift takes half a minute for as many bytes in array literals.

/// Paths below `Sources`, each behind `../`, and a null pointer behind the last.
const char *const *fundmail_file_paths(void);

/// The contents in the order of the paths, each with a NUL behind it.
const char *fundmail_file_contents(void);
