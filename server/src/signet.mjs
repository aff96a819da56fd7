#!/usr/bin/env node
// What `npx signet` runs in a clone. Plain JavaScript that every Node since 12 understands, so that an older one, which cannot run
// the TypeScript, ends with one line.
const needed = [24, 12]
const [major, minor] = process.versions.node.split('.').map(Number)

if (major > needed[0] || (major === needed[0] && minor >= needed[1])) import('./signet.ts')
else {
  const advice = 'run `npx signet` in the clone, which has its own Node, or install a later one'
  console.error(`signet: needs Node ${needed.join('.')} or later, and this is ${process.versions.node}; ${advice}`)
  process.exitCode = 1
}
