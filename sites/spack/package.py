# A package of Spack: copy it to packages/gobench/package.py of a repository of yours, and set url
# to the archive of the source of a release.
from spack.package import *


class Gobench(GoPackage):
    """Measures how fast processes communicate, over shared memory, TCP and RDMA networks."""

    homepage = "https://example.org/gobench"
    git = "https://example.org/gobench.git"

    license("Apache-2.0")

    version("0.9.0", tag="v0.9.0")

    variant("native", default=False, description="Transports over libraries of vendors")

    depends_on("go@1.26:", type="build")
    depends_on("c", type="build", when="+native")
    depends_on("rdma-core", type="build", when="+native")
    depends_on("ucx", type="build", when="+native")
    depends_on("libfabric", type="build", when="+native")

    build_directory = "cmd/gobench"

    @property
    def build_args(self):
        args = ["-trimpath", "-o", "gobench"]
        if self.spec.satisfies("+native"):
            args += ["-tags", "verbs ucx ofi"]
        return args

    def setup_build_environment(self, env):
        env.set("CGO_ENABLED", "1" if self.spec.satisfies("+native") else "0")
        env.set("GOEXPERIMENT", "simd")
