#!/usr/bin/env bash
# A shell on the head of a lab of several hosts of this machine; needs root.
# usage: scripts/lab.sh [N]
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install.sh iproute2 openssh-server openssh-client nftables
exec bash internal/lab/lab.sh "${1:-2}"
