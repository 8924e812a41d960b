#include "app/commands/command_line.hpp"

int main(int argc, char** argv) { return gdalmcp::app::run_command_line(argc, argv); }
