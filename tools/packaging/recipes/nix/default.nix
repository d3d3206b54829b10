# Not built by the tests of this project: there is no Nix. nix-build tools/packaging/recipes/nix
{ pkgs ? import <nixpkgs> { } }:

let python = pkgs.python3.withPackages (p: [ p.pybind11 p.numpy p.pandas ]);
in pkgs.stdenv.mkDerivation {
  pname = "weft";
  version = "0.1.0";
  src = ../../../..;
  nativeBuildInputs = with pkgs; [ cmake ninja pkg-config ];
  buildInputs = with pkgs; [
    boost cli11 fmt spdlog yaml-cpp nlohmann_json pugixml openssl sqlite zstd ncurses protozero simgrid gtest gbenchmark
    python
  ];
  cmakeFlags = [ "-DCMAKE_BUILD_TYPE=Release" "-DPython3_EXECUTABLE=${python}/bin/python3" ];
  ninjaFlags = [ "weft" "weft_python" "weft_shared" "weft_fluid_program" ];
  meta = {
    description = "a packet-level simulator of AI training fabrics";
    license = pkgs.lib.licenses.asl20;
  };
}
