// Compares the table of docs/build/private-interfaces.md with the product's files: each row has its files, and no more; each of its tests
// is there; and no other file reaches into a library.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const page = 'docs/build/private-interfaces.md'

/** How code reaches what a library does not offer. Lines that are a comment do not count. */
const ways = [
  /\bas unknown as\b/,
  /\.prototype\b|[{,] ?prototype\b/,
  /\?*\._[a-z]/,
  /\w\['_/,
  /\bgetOwnPropertySymbols\b|\bSymbol\.for\(/,
  /\.(?:removeAllListeners|listeners|rawListeners)\(/,
  /Object\.definePropert/,
  /\bas any\b/,
  /\bfrom '[^.'][^']*\/(?:lib|dist|build)\//,
]
/** A cast of a type of our own. */
const exempt = new Set(['server/src/ground/http/chain/operation.ts', 'sdk/webhooks/src/verify-webhook.ts'])

const listFiles = (...patterns) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], { encoding: 'utf8' })
    .trim()
    .split('\n')
const isComment = (line) => /^\s*(?:\/\/|\/?\*)/.test(line)
const codeOf = (file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => !isComment(line))
    .join('\n')

const product = listFiles('server/src', 'cli/src', 'console/src', 'sdk/*/src')
  .filter((file) => /\.(?:ts|tsx|mjs)$/.test(file) && !/\.test\.tsx?$|\/generated\//.test(file))
  .map((file) => ({ file, code: codeOf(file) }))
const tests = listFiles('*.test.ts', '*.test.tsx')
  .map((file) => readFileSync(file, 'utf8').replaceAll("\\'", "'"))
  .join('\n')

const codes = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code)
const rows = readFileSync(page, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Of '))
  .map((line) => line.replaceAll('\\|', '\0').split('|'))
  .map((cells) => cells.map((cell) => cell.replaceAll('\0', '|').trim()))
  .map(([, , what, where, , , test]) => ({ code: codes(what)[0], files: codes(where), test: /“(.+)”/.exec(test)?.[1] }))

const problems = []
for (const { code, files, test } of rows) {
  const found = product.filter((each) => each.code.includes(code)).map(({ file }) => file)
  for (const file of files) if (!found.includes(file)) problems.push(`${page}: ${file} has no \`${code}\``)
  for (const file of found) if (!files.includes(file)) problems.push(`${page}: \`${code}\` is also in ${file}`)
  if (!test || !tests.includes(test)) problems.push(`${page}: \`${code}\`: no test is called “${test ?? ''}”`)
}
const listed = new Set(rows.flatMap(({ files }) => files))
for (const { file, code } of product) {
  const way = ways.find((each) => each.test(code))
  if (way && !listed.has(file) && !exempt.has(file))
    problems.push(`${file}: reaches into a library (${way.exec(code)?.[0]}), and is in no row of ${page}`)
}

for (const problem of problems) console.error(problem)
if (problems.length === 0) console.log(`${rows.length} private interfaces, in ${listed.size} files`)
process.exit(problems.length === 0 ? 0 : 1)
