// The tables of the documentation that name tests, written from the tests. A row has an id in its first column, and each test that
// proves it a comment above itself: `// Proves 2.1/3, sign-in/12.` Its last column is what this script makes of those:
//
//   node scripts/test-tables.mjs            fails when a table is stale, a row has no test, or a test proves what is not there
//   node scripts/test-tables.mjs --write    writes the tables
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

const root = join(import.meta.dirname, '..')
/** Each row of these pages is a rule or a threat, and begins with its id. */
const pagesOfRules = ['docs/reference/interface.md', 'docs/build/sign-in-security.md', 'docs/build/console-security.md']
/** Each row of these is a file of the folder, and begins with its name. */
const pagesOfFiles = {
  'docs/build/faults.md': 'server/tests/faults',
  'docs/build/hostile-input.md': 'server/tests/hostile',
}

const idForm = /^(\d(\.\d)?(, rule \d)?|sign-in|console)\/\d+$/
const markForm = /^ *\/\/ Proves (.+)\.$/
const read = (path) => readFileSync(join(root, path), 'utf8')
const testFiles = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.test.ts', '*.test.tsx'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
const problems = []

/** Every test that proves something: `{ file, title, ids }`, in the order of files and of lines. */
const proofs = testFiles.flatMap((file) => proofsOf(file, read(file).split('\n')))

function proofsOf(file, lines) {
  const isMark = (line) => line !== undefined && markForm.test(line)
  const begins = lines.flatMap((line, at) => (isMark(lines[at - 1]) && !isMark(line) ? [at] : []))
  return begins.map((at) => {
    const marks = lines.slice(lines.slice(0, at).findLastIndex((line) => !isMark(line)) + 1, at)
    return {
      file,
      title: titleAt(file, lines, at),
      ids: marks.flatMap((mark) => markForm.exec(mark)[1].split(/, (?!rule )/)),
    }
  })
}

/** The title of the test, or of the table of tests, that begins in a line, as it is written there. */
function titleAt(file, lines, at) {
  const [, indent, first] = /^( *)(.*)$/.exec(lines[at] ?? '')
  if (!/^(test|describe)\b/.test(first)) problems.push(`${file}:${at + 1} has no test below what it proves`)
  if (/^(test|describe)\.(skip|todo|fails)\b/.test(first))
    problems.push(`${file}:${at + 1} proves something with a test that is not run`)
  const own = lines.findIndex(
    (line, index) => index >= at && titleIn(line, index === at ? undefined : indent, lines[index - 1]),
  )
  return own < 0 ? '' : titleIn(lines[own], own === at ? undefined : indent, lines[own - 1])
}

/** `test('…',`, `test.each([…])('…',`, or in a later line of the same statement `])('…',`, or the line below its last `(`. */
function titleIn(line, indent, before) {
  const literal = /\(\s*(['"`])((?:(?!\1)[^\\]|\\.)+)\1,/.source
  const below = /^\s*(['"`])((?:(?!\1)[^\\]|\\.)+)\1,/
  if (indent === undefined) return new RegExp(`^ *(?:test|describe)(?:\\.\\w+(?:\\(.*\\))?)*${literal}`).exec(line)?.[2]
  if (new RegExp(`^${indent}[^ ].*\\($`).test(before ?? '') && below.test(line)) return below.exec(line)[2]
  return new RegExp(`^${indent}[\\])}]+.*?${literal}`).exec(line)?.[2]
}

const cellsOf = (line) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim())
const rowOf = (cells) => `| ${cells.join(' | ')} |`
const inMarkdown = (title) => title.replace(/[|<>*_[\]\\]/g, '\\$&')

function withTests(page, line) {
  const cells = cellsOf(line)
  if (!line.startsWith('|') || !idForm.test(cells[0] ?? '')) return line
  const named = proofs.filter(({ ids }) => ids.includes(cells[0]))
  if (named.length === 0) problems.push(`${page}: ${cells[0]} has no test`)
  const links = named.map(({ file, title }) => `[${inMarkdown(title)}](${relative(dirname(page), file)})`)
  return rowOf([...cells.slice(0, -1), links.join('<br>')])
}

/** `worker-killed.slow.test.ts` and `worker-killed.test.ts` are one row, whose other columns somebody wrote. */
const stemOf = (name) => /[\w-]+(?=[\w.]*\.test\.ts)/.exec(name)?.[0]

function withFile(page, folder, line) {
  const cells = cellsOf(line)
  const stem = line.startsWith('|') ? stemOf(cells[0] ?? '') : undefined
  if (!stem) return line
  const file = testFiles.find((each) => each.startsWith(`${folder}/`) && stemOf(basename(each)) === stem)
  if (!file) problems.push(`${page}: ${stem} is no test of ${folder}`)
  return file ? rowOf([`[${basename(file)}](${relative(dirname(page), file)})`, ...cells.slice(1)]) : line
}

function checkFolder(page, folder, text) {
  for (const file of testFiles.filter((each) => each.startsWith(`${folder}/`)))
    if (!text.includes(`(${relative(dirname(page), file)})`)) problems.push(`${page} has no row for ${file}`)
}

function settle(page, made) {
  if (made === read(page)) return
  if (process.argv.includes('--write')) writeFileSync(join(root, page), made)
  else problems.push(`${page} is stale: node scripts/test-tables.mjs --write`)
}

const known = new Set()
for (const page of pagesOfRules) {
  const lines = read(page).split('\n')
  for (const line of lines) {
    const [id = ''] = line.startsWith('|') ? cellsOf(line) : []
    if (idForm.test(id) && known.has(id)) problems.push(`${page}: ${id} is there twice`)
    if (idForm.test(id)) known.add(id)
  }
  settle(page, lines.map((line) => withTests(page, line)).join('\n'))
}
for (const [page, folder] of Object.entries(pagesOfFiles)) {
  const made = read(page)
    .split('\n')
    .map((line) => withFile(page, folder, line))
    .join('\n')
  checkFolder(page, folder, made)
  settle(page, made)
}
for (const { file, title, ids } of proofs) {
  if (!title) problems.push(`${file}: a test that proves ${ids} has no title that can be read`)
  for (const id of ids) if (!known.has(id)) problems.push(`${file}: ${title} proves ${id}, which is nowhere`)
}
for (const problem of problems) console.error(problem)
process.exit(problems.length === 0 ? 0 : 1)
