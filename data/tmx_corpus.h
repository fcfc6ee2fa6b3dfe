#pragma once

#include <string>

#include "data/parallel_corpus.h"

namespace glossa {

/// Reads the pairs of a translation memory, TMX 1.1 to 1.4b, unpacked or as .gz; memory holds the pairs and some MiB.
///
/// Of each unit (`<tu>`) that has both languages comes a pair, with the line on which the unit begins. A variant
/// (`<tuv>`) has a language by its `xml:lang` or `lang`: `de` is meant by de, in any letter case, else by de-DE, de_AT
/// and so on; of several the first that is exact, else the first, and the others are counted. A unit without one of the
/// languages is left out and counted.
///
/// The text of a segment is what stands in `<seg>`, also in `<hi>` and in elements that TMX does not know. What
/// `<bpt>`,
/// `<ept>`, `<it>`, `<ph>` and `<ut>` hold is code of another program, `<sub>` in it (a footnote, a title) no part of
/// the sentence: all of it is taken out, with no space in its place. Runs of white space, line breaks too, are one
/// space; none stands at the ends.
///
/// Errors: those of read_xml; a root element that is not `<tmx>`; a segment longer than a line may be; no pair left,
/// which names the languages that there are.
ParallelCorpus read_tmx(const std::string& name, const std::string& source_language, const std::string& target_language,
                        const CorpusOptions& options = {});

}  // namespace glossa
