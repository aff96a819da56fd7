// `npm run generate -- recording`: runs `npm run dev` on a fresh data folder, keeps each line with the time at which it came, and draws
// them as docs/pictures/dev.svg. Waits are shortened, and so are a key and what is long; nothing else is changed.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { freePort } from './free-port.ts'
import { root } from './program.ts'
import { drawTerminal, type Line } from './terminal-svg.ts'

const limitMs = 180_000
/** A wait that is longer than this is shown as this. */
const longestWaitMs = 900
const file = join(root, 'docs/pictures/dev.svg')

/** What it prints until the first event has arrived, and what to do next. */
async function record(): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'signet-recording-'))
  const data = join(folder, 'data')
  const port = String(await freePort())
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: port, SIGNET_DATA_DIR: data, FORCE_COLOR: '1' }
  const child = spawn('npm', ['run', 'dev'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const timer = setTimeout(() => child.kill('SIGINT'), limitMs)
  const began = performance.now()
  const lines: Line[] = []
  for await (const text of createInterface({ input: child.stdout })) {
    lines.push({ at: performance.now() - began, text: asOnAnyMachine(text, data, port) })
    if (/Stop with Ctrl-C\.$/.test(stripVTControlCharacters(text)) && /Reference/.test(text)) child.kill('SIGINT')
  }
  await ended
  clearTimeout(timer)
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  const end = lines.findIndex(({ text }) => /Your first event has arrived/.test(text))
  if (end < 0)
    throw new Error(`npm run dev has not come to its first event:\n${lines.map(({ text }) => text).join('\n')}`)
  return lines.slice(0, end + 5)
}

/** The folder and the port of this run are those of nobody who reads it. */
const asOnAnyMachine = (text: string, data: string, port: string) =>
  text
    .replaceAll(data, './data')
    .replaceAll(`localhost:${port}`, 'localhost:8080')
    .replace(/(signet_\w{8})\w+/g, '$1…')

function shortened(told: Line[]): Line[] {
  const content = told.findIndex(({ text }) => /"trigger_content": \{/.test(text))
  const closing = told.findIndex(({ text }, place) => place > content && text === '    }')
  const kept = told
    .filter((_line, place) => place <= content || place > closing)
    .map(({ at, text }) => ({ at, text: text.replace(/("trigger_content": )\{$/, '$1{ … }') }))
    .filter(({ text }, place, all) => !isOfNpmOrLog(text) && (text !== '' || all[place + 1]?.text !== ''))
  const first = kept.findIndex(({ text }) => text !== '')
  let before = 0
  let shown = 0
  return kept.slice(first).map(({ at, text }) => {
    shown += Math.min(at - before, longestWaitMs)
    before = at
    return { at: shown, text }
  })
}

const isOfNpmOrLog = (text: string) => /^(> |\{"level")/.test(text)

writeFileSync(file, drawTerminal('npm run dev', shortened(await record())))
console.log(`Written: ${file}`)
