#!/usr/bin/env bash
# ERM, ARKS and WRM learn from real faces, and ARKS loses less than ERM under attack: two seeds, fewer and longer inner
# steps than published. Skipped (77) where there are no faces.
#   celeba.sh PROGRAM
set -euo pipefail
for folder in celeba celeba-mini .; do
  if [ -e "${ARKS_DATA_DIR:-/usr/share/datasets}/$folder/list_attr_celeba.txt" ]; then
    exec "$1" --seeds 0,10 --epochs 14 --inner-steps 5 --inner-scale 3 --eps 0:0.03:0.015 --threads 1 --check
  fi
done
echo "SKIPPED: no CelebA in ${ARKS_DATA_DIR:-/usr/share/datasets}; set ARKS_DATA_DIR"
exit 77
