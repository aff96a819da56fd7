// What a demo stands on: Signet on a throw-away folder and programs beside it, progress lines, and an end that leaves
// nothing behind, also after Ctrl-C.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters, styleText } from 'node:util'
import type { CertificateFiles } from './make-certificate.ts'

export type Program = {
  /** Waits until its output has this, and gives what was found. Throws when it ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>
  stop(): Promise<void>
}
type Settings = Record<string, string>
/** Gives the `result` of the answer, or the whole of a bare one. */
export type Call = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>

const limitMs = 120_000
export const root = join(import.meta.dirname, '..')

const stopping = new AbortController()
/** What has to end, the last first. */
export const cleanup = new AsyncDisposableStack()
let steps = 0
let waiting: NodeJS.Timeout | undefined
const clear = '\r\x1b[K'

/** Tells the story, cleans up, and ends this process; `farewell` is said when all went well. */
export async function play(story: (folder: string) => Promise<void>, farewell: string): Promise<never> {
  const stop = (reason: string) => () => stopping.abort(new Error(reason))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop('it was interrupted'))
  setTimeout(stop(`it took longer than ${limitMs / 1_000} s`), limitMs)
  const stopped = once(stopping.signal, 'abort').then(() => Promise.reject(stopping.signal.reason))
  const outcome = await Promise.race([tell(story), stopped]).catch((error: Error) => error)
  clearInterval(waiting)
  await cleanup.disposeAsync()
  if (outcome instanceof Error) console.error(`\nThe demo failed: ${outcome.message}`)
  else print(`\n${farewell}`)
  process.exit(outcome instanceof Error ? 1 : 0)
}

async function tell(story: (folder: string) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'signet-demo-'))
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
  await story(folder)
}

/** On an empty folder. `call` is of the organization that the first start makes. */
export async function startSignet(folder: string, settings: Settings) {
  const signet = run('server/src/main.ts', { SIGNET_DATA_DIR: join(folder, 'data'), ...settings })
  await signet.until(/^Ready/m)
  // Line by line: the log may have one of its own between any two.
  const read = async (name: string) => {
    const [line, value = ''] = await signet.until(new RegExp(`^${name}: (.*)$`, 'm'))
    show(line)
    return value
  }
  const [baseUrl, organizationId] = [await read('Base URL'), await read('Organization ID')]
  const headers = { 'Service-OrgID': organizationId, 'Service-API-Key': await read('API key') }
  return { signet, baseUrl, organizationId, call: caller(baseUrl, headers) }
}

/** The one of examples/receiver, for events. */
export async function startReceiver(
  baseUrl: string,
  organizationId: string,
  targetUrl: string,
  { certificate, privateKey }: CertificateFiles,
): Promise<Program> {
  const own = { SIGNET: baseUrl, ORG: organizationId, TARGET_URL: targetUrl }
  const receiver = run('examples/receiver/receiver.ts', { ...own, CERTIFICATE: certificate, PRIVATE_KEY: privateKey })
  show(...(await receiver.until(/^Listening: .*$/m)))
  return receiver
}

/** What it printed of the event that it accepted. Throws when it refused one, or Signet reports a failed attempt. */
export async function verified(eventName: string, receiver: Program, signet: Program) {
  const accepted = new RegExp(`^Verified: ${eventName}\\n(\\{[\\s\\S]*?^\\})$`, 'm')
  const [, json = ''] = await Promise.race([
    receiver.until(accepted),
    receiver.until(/^Refused: .*$/m).then(complain),
    signet.until(/^.*"delivery attempt failed".*$/m).then(complain),
  ])
  return JSON.parse(json)
}

function complain([line]: RegExpExecArray): never {
  throw new Error(line)
}

function caller(baseUrl: string, headers: Settings): Call {
  return async (method, path, body) => {
    show(`${method} ${path}${body ? ` ${JSON.stringify(body)}` : ''}`)
    const json = body ? { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}
    const response = await fetch(`${baseUrl}${path}`, { method, headers, ...json, signal: stopping.signal })
    const answer = await response.text()
    show(`${response.status} ${answer}`)
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}`)
    const { result, ...bare } = JSON.parse(answer)
    return result ?? bare
  }
}

/**
 * In a process group of its own: Ctrl-C is for the demo, which then stops one program after the other. `args` are what Node
 * runs, if not that file of ours.
 */
export function run(name: string, settings: Settings, args = [join(root, name)]): Program {
  stopping.signal.throwIfAborted()
  const env = { PATH: process.env.PATH, ...settings }
  const child = spawn(process.execPath, args, {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close').then(() => 'closed' as const)
  let output = ''
  let grown = Promise.withResolvers<void>()
  const grow = (text: string) => {
    output += text
    grown.resolve()
    grown = Promise.withResolvers()
  }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', grow)
  const program: Program = {
    until: async (pattern) => {
      for (;;) {
        const found = pattern.exec(output)
        if (found) return found
        if ((await Promise.race([grown.promise, closed])) === 'closed') throw new Error(`${name} ended:\n${output}`)
      }
    },
    stop: async () => {
      child.kill('SIGTERM')
      await closed
    },
  }
  cleanup.defer(program.stop)
  return program
}

export function step(text: string) {
  steps++
  clearInterval(waiting)
  print(`\n${styleText(['bold', 'cyan'], wrapped(`${steps}. ${text}`, ''))}`)
  waiting = setInterval(showWaiting, 1_000, performance.now()).unref()
}

/** That a step goes on: at a terminal alone, in a line that the next one takes the place of. */
function showWaiting(began: number) {
  if (process.stdout.isTTY) process.stdout.write(`${clear}   … ${Math.round((performance.now() - began) / 1_000)} s`)
}

function print(text: string) {
  console.log(process.stdout.isTTY ? `${clear}${text}` : text)
}

export function show(...paragraphs: string[]) {
  for (const line of paragraphs.join('\n').split('\n')) print(line && wrapped(line, '   '))
}

/** Lines of the terminal's width, without cutting a word; elsewhere one line. */
export function wrapped(text: string, indent: string, width = process.stdout.columns): string {
  if (!width) return `${indent}${text}`
  const [, own = ''] = /^( *)/.exec(text) ?? []
  const lines: string[] = []
  let line = `${indent}${own}`
  // JSON without blanks may break behind a comma.
  for (const word of text
    .trim()
    .match(/[^ ,]*(?:,|$| )? ?/g)
    ?.filter(Boolean) ?? []) {
    const isEmpty = line.trim() === ''
    if (!isEmpty && stripVTControlCharacters(line + word.trimEnd()).length > width) {
      lines.push(line.trimEnd())
      line = `${indent}${own}`
    }
    line += word
  }
  return [...lines, line.trimEnd()].join('\n')
}

export function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
