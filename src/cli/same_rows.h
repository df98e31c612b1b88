#pragma once
// Whether models were trained and tested on the same rows, made the same numbers: by what they say of themselves, since
// a folder may have been moved since.
#include "cli/load_run.h"

#include <set>
#include <string>

namespace arks::cli {

/// The settings that are paths of own data. Where the checksums agree they say nothing more.
std::set<std::string> names_of_paths();

/// What a configuration says of how data were read and divided, in a form that may travel: without paths. Nothing for
/// official sets, which are divided already.
SettingValues division_of(const SettingValues& config, const std::string& data);

/// Throws Error when the runs do not have the same test rows: data that were divided in different ways, so that the
/// test part of one would hold training samples of the other. Likewise when labels mean something else in one of them,
/// as with other targets or attributes of faces. Of what does not know its parts nothing is said. `also_parts`: the
/// training and validation parts must be the same, too.
void check_same_rows(const Run& one, const Run& other, bool also_parts);

/// Whether the samples of two runs become the same numbers: the same columns, fillings and scales.
bool prepared_alike(const Run& one, const Run& other);

}  // namespace arks::cli
