// Read by tools/test.sh.
test("an empty cart is free", () => sh("[ $(sh src/price.sh) = 0 ]"));
test("adds prices", () => sh("[ $(sh src/price.sh 2 3) = 5 ]"));
test("ten articles are a tenth cheaper", () => sh("[ $(sh src/price.sh 1 1 1 1 1 1 1 1 1 1) = 9 ]"));
