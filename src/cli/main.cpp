#include "cli/run_tool.h"

#include <cstdlib>

int main(int argc, char** argv) {
  std::_Exit(arks::cli::run_tool(argc, argv));  // libtorch takes a tenth of a second to take its operators apart
}
