#!/bin/sh
# Makes ./geohash.bundle with rustc (1.63 or later) and gdal-mcp-describe. With Cargo: crate-type = ["cdylib"].
set -e
source=$(dirname "$0")
mkdir -p geohash.bundle/lib
rustc --edition 2021 --crate-type cdylib -O -C strip=symbols -o geohash.bundle/lib/geohash.so "$source/geohash.rs"
chmod -R go-w geohash.bundle # a host refuses bundles that others may write to
gdal-mcp-describe --toolset geodesy geohash.bundle
