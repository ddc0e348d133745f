// Reads the report that `reports write DIR` wrote with tap-parser: `node peers.mjs DIR`. Needs tap-parser from npm.

import { readFileSync } from 'node:fs'
import { Parser } from 'tap-parser'

const ROUNDS = 5
const text = readFileSync(`${process.argv[2]}/report.tap`, 'utf8')
const times = []
let count = 0
for (let round = 0; round < ROUNDS; round++) {
  const start = performance.now()
  count = 0
  const parser = new Parser()
  parser.on('assert', () => { count++ })
  parser.end(text)
  times.push(performance.now() - start)
}
const time = times.sort((one, other) => one - other)[Math.floor(ROUNDS / 2)]
const size = Buffer.byteLength(text) / 1e6
console.log(`tap-parser     ${size.toFixed(1)} MB  ${time.toFixed(1)} ms  ${(size / time * 1e3).toFixed(0)} MB/s  ${count} read`)
