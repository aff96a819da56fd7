// Draws what a program printed as a terminal that fills line by line, in one SVG without a script: the browser plays it by CSS, once, and
// where the reader wants no motion it shows the end.
import { stripVTControlCharacters } from 'node:util'

/** `at` is in milliseconds since the command was given. */
export type Line = { at: number; text: string }
type Placed = Line & { row: number; isBold: boolean }

/** At 390 pixels of width a character is 6 pixels wide. */
const columns = 62
const rows = 24
const character = { width: 8.4, height: 19, size: 14 }
const margin = { side: 14, top: 36, bottom: 12 }
const typingMs = 900
const width = Math.round(columns * character.width + 2 * margin.side)
const height = margin.top + rows * character.height + margin.bottom

export function drawTerminal(command: string, lines: Line[]): string {
  const placed = place(lines)
  const last = placed.at(-1)?.row ?? 0
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title says">
<title id="title">A terminal in which ${command} runs</title>
<desc id="says">${escaped(inWords(lines))}</desc>
<style>
${styleOf(command, placed, last)}
</style>
<rect class="back" width="${width}" height="${height}" rx="8"/>
<g class="dots"><circle cx="18" cy="17" r="5"/><circle cx="35" cy="17" r="5"/><circle cx="52" cy="17" r="5"/></g>
<text class="name" x="${width / 2}" y="22" text-anchor="middle">${escaped(command)}</text>
<svg y="${margin.top}" width="${width}" height="${rows * character.height}">
<g class="page">
<text y="${baseline(0)}" x="${margin.side}"><tspan class="prompt">$ </tspan>${escaped(command)}</text>
<rect class="back cover" x="${margin.side + 2 * character.width}" y="0" width="${(command.length + 1) * character.width}" height="${character.height}"/>
${placed.map(drawn).join('\n')}
</g>
</svg>
</svg>
`
}

/** As much as fits a row, broken at a blank if there is one. */
const inRow = new RegExp(`.{1,${columns}}(?: |$)|.{1,${columns}}`, 'g')

/** A line that is too long goes on in the next row; a bold one stays bold until it is ended. */
function place(lines: Line[]): Placed[] {
  let isBold = false
  let row = 0
  return lines.flatMap(({ at, text }) => {
    isBold = isBold || text.includes('\u001b[1m')
    const parts = stripVTControlCharacters(text).match(inRow) ?? ['']
    const placed = parts.map((part) => ({ at: at + typingMs, text: part, row: ++row, isBold }))
    isBold = isBold && !text.includes('\u001b[22m')
    return placed
  })
}

const baseline = (row: number) => row * character.height + character.size

function drawn({ text, row, isBold, at }: Placed) {
  if (text === '') return ''
  const kind = /^Verified: /.test(text) ? ' class="good"' : isBold ? ' class="bold"' : ''
  const indent = text.length - text.trimStart().length
  const x = (margin.side + indent * character.width).toFixed(1)
  return `<text${kind} x="${x}" y="${baseline(row)}" style="animation-delay:${Math.round(at)}ms">${escaped(text.trim())}</text>`
}

function styleOf(command: string, placed: Placed[], last: number): string {
  const total = Math.max(1, ...placed.map(({ at }) => at))
  const shift = (row: number) => -Math.max(0, row + 1 - rows) * character.height
  const steps = placed
    .filter(({ row }) => row >= rows)
    .map(({ at, row }) => `${((100 * at) / total).toFixed(2)}%{transform:translateY(${shift(row)}px)}`)
  return `:root{--back:#fbfaf8;--line:#d9d4ca;--text:#2d2a26;--quiet:#6b655c;--good:#1a6f3c}
@media(prefers-color-scheme:dark){:root{--back:#1b1d21;--line:#3c4048;--text:#d8dbe0;--quiet:#9aa0aa;--good:#79d49a}}
text{font:${character.size}px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace;fill:var(--text);white-space:pre}
.page text[style]{opacity:0;animation:show 1ms linear forwards}
.back{fill:var(--back)} .dots{fill:var(--line)} .bold{font-weight:700} .good{fill:var(--good);font-weight:700}
svg>.back{stroke:var(--line)} .page .back{stroke:none}
.name{fill:var(--quiet);font-size:13px} .prompt{fill:var(--quiet)}
.cover{animation:type ${typingMs - 200}ms steps(${command.length}) forwards}
.page{animation:roll ${Math.round(total)}ms step-end forwards}
@keyframes show{to{opacity:1}}
@keyframes type{to{transform:translateX(${(command.length + 1) * character.width}px)}}
@keyframes roll{from{transform:none}${steps.join('')}to{transform:translateY(${shift(last)}px)}}
@media(prefers-reduced-motion:reduce){.page text[style]{animation:none;opacity:1}.cover{display:none}.page{animation:none;transform:translateY(${shift(last)}px)}}`
}

/** For those who do not see it. */
const inWords = (lines: Line[]) =>
  lines
    .map(({ text }) => stripVTControlCharacters(text).trim())
    .filter((text) => /^(Starting|Base URL|Console:|Ready|Verified|Your first)/.test(text))
    .join(' ')

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
