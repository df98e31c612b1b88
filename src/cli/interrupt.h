#pragma once

namespace arks::cli {

/// From here on the first SIGINT or SIGTERM only sets a flag, so that the running batch is finished and saved; a second
/// one ends the program at once.
void catch_interrupts();
bool interrupted();

}  // namespace arks::cli
