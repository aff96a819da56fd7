// The import rules of the repository: this fails when code crosses a line that `slices.mjs` does not have, when a slice of the server is
// entered other than through an index, when the table or the drawing has an arrow that nobody uses, and when files import each other in
// a circle, even if only types.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  arrowBetween,
  arrowsBesides,
  arrowsWithin,
  nameOf,
  placeOf,
  readRepository,
  refusalBetween,
  refusalOf,
  report,
  root,
  slicesOf,
  wingsFromTop,
} from './slices.mjs'
import { readsAcross } from './table-use.mjs'

/** Their files are the interface: what is in them is imported one by one. */
const withoutIndex = ['ground/runtime', 'ground/database', 'ground/http', 'start/commands']

const problems = []
const used = new Set(readsAcross().map(({ from, to }) => arrow(from, to)))
/** File → files it imports. */
const graph = new Map()
const inServer = /^server\/src\/(?!.*\.test\.ts$)/

for (const [file, text] of readRepository()) {
  const targets = importsOf(text).map((target) => join(dirname(file), target))
  graph.set(file, targets)
  for (const to of targets) {
    used.add(arrowBetween(file, to))
    const refusal = refusalBetween(file, to)
    if (refusal) problems.push(`${file}: must not import ${to}, for ${refusal}`)
    else if (inServer.test(file) && inServer.test(to)) judge(...[file, to].map((each) => each.replace(inServer, '')))
  }
}

for (const wing of wingsFromTop) compareArrows(wing)
for (const each of arrowsBesides) if (!used.has(each)) problems.push(`nothing uses the arrow ${each}`)
refuseCircles()
report(`imports of ${graph.size} files`, problems)

function judge(file, target) {
  const [from, to] = [placeOf(file), placeOf(target)]
  if (!target.endsWith('.ts')) problems.push(`${file}: import of ${target} must end in .ts`)
  if (nameOf(from) === nameOf(to)) return
  used.add(arrow(from, to))
  const refusal = refusalOf(from, to)
  if (refusal) problems.push(`${file}: must not import ${target}, for ${refusal}`)
  else if (to.slice !== '.' && !withoutIndex.includes(nameOf(to)) && !target.endsWith('/index.ts'))
    problems.push(`${file}: ${target} must be imported through an index.ts`)
}

function arrow(from, to) {
  return from.wing === to.wing ? `${from.wing}: ${from.slice} ${to.slice}` : ''
}

/** The drawing of each wing has one arrow for each of the table, each of which somebody uses, and a box for each slice. */
function compareArrows(wing) {
  const drawn = drawingOf(wing)
  const wanted = arrowsWithin(wing)
  for (const each of wanted) {
    if (!used.has(`${wing}: ${each}`)) problems.push(`${wing}: nothing uses the arrow ${each}`)
    if (!drawn.includes(each)) problems.push(`docs/architecture.md: the drawing of ${wing} lacks the arrow ${each}`)
  }
  for (const each of drawn)
    if (each.includes(' ') && !wanted.includes(each))
      problems.push(`docs/architecture.md: the drawing of ${wing} has an arrow too many: ${each}`)
  for (const slice of slicesOf(wing))
    if (!drawn.some((each) => each.split(' ').includes(slice)))
      problems.push(`docs/architecture.md: the drawing of ${wing} lacks ${slice}`)
}

/** Its arrows as `from to`, and its boxes. Each wing has a heading with its name, and a Mermaid drawing below. */
function drawingOf(wing) {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const drawing = new RegExp(`^### \`${wing}/\`$[^#]*?\`\`\`mermaid\n([^\`]*)\`\`\``, 'm').exec(text)?.[1] ?? ''
  return drawing
    .split('\n')
    .slice(1)
    .map((line) => line.trim().replace(' --> ', ' '))
}

function importsOf(text) {
  const found = text.matchAll(
    /^(?:import|export)\b[^'"]*?from\s+'(\.[^']+)'|import\(\s*'(\.[^']+)'|^import\s+'(\.[^']+)'/gms,
  )
  return [...found].map((match) => match[1] ?? match[2] ?? match[3])
}

function refuseCircles() {
  for (const circle of findCircles()) problems.push(`a circle of imports: ${circle.join(', ')}`)
}

/** The files of each circle: those that reach each other. */
function findCircles() {
  const reached = new Map([...graph.keys()].map((file) => [file, reachedFrom(file)]))
  const circleOf = (file) => [...reached.get(file)].filter((other) => reached.get(other)?.has(file)).sort()
  const circles = [...graph.keys()].map(circleOf).filter((circle) => circle.length > 0)
  return [...new Map(circles.map((circle) => [circle[0], circle])).values()]
}

function reachedFrom(file) {
  const reached = new Set(graph.get(file))
  for (const next of reached) for (const further of graph.get(next) ?? []) reached.add(further)
  return reached
}
