#!/bin/sh
# price.sh PRICE.. : what a cart of these prices costs; ten or more are a tenth cheaper.
total=0
for price in "$@"; do total=$((total + price)); done
[ "$#" -ge 10 ] && total=$((total * 9 / 10))
echo "$total"
