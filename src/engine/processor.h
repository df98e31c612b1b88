#pragma once

namespace arks::engine {

/// True when the environment asks for the portable path, ARKS_CPU=portable: the same results on a processor without
/// AVX2. Looked at once, before the first vector loop or oneDNN primitive, both of which it restrains; Error when the
/// variable holds anything else than "portable", "auto" or nothing.
bool portable_path();

/// The vector instructions in use, for `-v` and benchmarks: "AVX2", "SSE4", …
const char* instruction_set();

}  // namespace arks::engine
