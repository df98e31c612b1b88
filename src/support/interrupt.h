#pragma once

namespace arks {

/// From here on the first SIGINT or SIGTERM only sets a flag, so that the running batch is finished and saved; a second
/// one ends the program at once.
void catch_interrupts();
bool interrupted();

/// Programs that this one starts from here on, if they are the tool, are interrupted when it ends, however it ends.
void end_children_with_us();
/// What such a child does first.
void end_with_parent_if_asked();

}  // namespace arks
