#include <iostream>
#include <weft/weft.hpp>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  auto scenario = weft::api::Scenario::from_file(argv[1]);
  if (!scenario) {
    std::cerr << scenario.errors().front().to_string() << '\n';
    return 2;
  }
  const bool is_fluid = argc > 2;
  const auto results = scenario.value().run(
      {.engine = is_fluid ? weft::api::Engine::kFluid : weft::api::Engine::kPacket});
  if (!results) {
    std::cerr << results.errors().front().to_string() << '\n';
    return 1;
  }
  std::cout << results.value().digest() << '\n';
}
