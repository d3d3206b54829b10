# Not built by the tests of this project: there is no Spack. It is checked for syntax alone.
from spack.package import *


class Weft(CMakePackage):
    """A packet-level simulator of AI training fabrics."""

    homepage = "https://example.invalid/weft"
    license("Apache-2.0")

    version("main", branch="main")

    variant("mpi", default=False, description="Sweeps over several machines")
    variant("python", default=True, description="The Python package")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("boost@1.74:")
    depends_on("cli11")
    depends_on("fmt")
    depends_on("spdlog")
    depends_on("yaml-cpp")
    depends_on("nlohmann-json")
    depends_on("pugixml")
    depends_on("openssl")
    depends_on("sqlite")
    depends_on("zstd")
    depends_on("ncurses")
    depends_on("protozero")
    depends_on("simgrid@3.32:")
    depends_on("googletest")
    depends_on("benchmark")
    depends_on("mpi", when="+mpi")
    depends_on("python@3.11:", when="+python")
    depends_on("py-pybind11@2.10:", when="+python", type="build")
    depends_on("py-numpy", when="+python", type=("build", "run"))

    generator("ninja")

    def cmake_args(self):
        args = [self.define_from_variant("WEFT_MPI", "mpi"), self.define_from_variant("WEFT_PYTHON", "python")]
        if self.spec.satisfies("+python"):
            args.append(self.define("Python3_EXECUTABLE", self.spec["python"].command.path))
        return args

    @property
    def build_targets(self):
        targets = ["weft", "weft_shared", "weft_fluid_program"]
        return targets + (["weft_python"] if self.spec.satisfies("+python") else [])
