#pragma once

#include <string>

#include "data/parallel_corpus.h"

namespace glossa {

/// Reads the pairs of a translation memory, TMX 1.1 to 1.4b, which may be packed. Needs only a few MiB of memory
/// besides the pairs.
///
/// Each unit (`<tu>`) with both languages yields a pair; its position is the unit's number, from 1. The language of a
/// variant (`<tuv>`) is its `xml:lang` or `lang`. If the requested language is de, `de` in any letter case is an exact
/// match; de-DE, de_AT and so on also match. The first exact match is used; without an exact match, the first match is
/// used. Further matches are counted. A unit that lacks one of the languages is left out and counted.
///
/// A segment's text is the content of `<seg>`, including the content of `<hi>` and of elements unknown to TMX. The
/// content of `<bpt>`, `<ept>`, `<it>`, `<ph>` and `<ut>` is another program's code and is removed without leaving a
/// space. The content of `<sub>` (a footnote, a title) is also removed, because it is not part of the sentence. Runs of
/// white space, including line breaks, become one space; at the ends of the text, they are removed.
///
/// Throws, naming file and line, for XML that is not well-formed or nested too deeply. Also throws for encodings other
/// than UTF-8 and UTF-16, and for entities other than XML's own. Throws like clean_line. Also throws for a root element
/// that is not `<tmx>`, for a segment longer than TextOptions::max_line_bytes, and if no pair is left. If no unit has
/// both languages, the error lists the languages found.
ParallelCorpus read_tmx(const std::string& name, const std::string& source_language, const std::string& target_language,
                        const CorpusOptions& options = {});

}  // namespace glossa
