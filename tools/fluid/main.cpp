#include "scenarios/api/weft.hpp"

/// `weft-fluid`: one run of the fluid engine for a process that uses libweft.
int main() { return weft_fluid_main(); }
