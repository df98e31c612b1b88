#include "cli/run_tool.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>

int main(int argc, char** argv) {
  const int code = arks::cli::run_tool(argc, argv);
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(code);  // libtorch takes a tenth of a second to take its tables of operators apart
}
