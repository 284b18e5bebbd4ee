module gobench/scripts/manifests

go 1.26.0

toolchain go1.27.4
