#include "cli/run_tool.h"

int main(int argc, char** argv) {
  return arks::cli::run_tool(argc, argv);
}
