#pragma once

#include <string>

#include "data/parallel_corpus.h"

namespace glossa {

/// Reads the pairs of a translation memory, TMX 1.1 to 1.4b, plain or .gz; memory holds the pairs and a few MiB.
///
/// Each unit (`<tu>`) with both languages yields a pair, placed at the unit's first line. A variant (`<tuv>`) has a
/// language by its `xml:lang` or `lang`: for de, `de` in any letter case, else de-DE, de_AT and so on. The first exact
/// variant is used, else the first; the others are counted. A unit without one of the languages is left out and
/// counted.
///
/// A segment's text is the content of `<seg>`, including `<hi>` and elements unknown to TMX. The content of `<bpt>`,
/// `<ept>`, `<it>`, `<ph>` and `<ut>` is another program's code, and a `<sub>` in it (a footnote, a title) is not part
/// of the sentence: all of it is removed, with no space in its place. Runs of white space, including line breaks,
/// become one space; none is left at the ends.
///
/// Errors: those of read_xml; a root element that is not `<tmx>`; a segment above the line limit; no pair left, which
/// names the languages found.
ParallelCorpus read_tmx(const std::string& name, const std::string& source_language, const std::string& target_language,
                        const CorpusOptions& options = {});

}  // namespace glossa
