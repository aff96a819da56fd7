// The parts that all demos share: Signet on a temporary folder, other programs, and progress lines.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters, styleText } from 'node:util'
import { caller } from './call.ts'
import type { CertificateFiles } from './make-certificate.ts'
import { cleanup, type Program, run, runToEnd, stopAfter } from './program.ts'

type Settings = Record<string, string>

const limitMs = 120_000

let steps = 0
let waiting: NodeJS.Timeout | undefined
const clear = '\r\x1b[K'

/** Runs the demo, cleans up, and ends this process; prints `farewell` after a success. */
export async function play(story: (folder: string) => Promise<void>, farewell: string): Promise<never> {
  stopAfter(limitMs)
  const failure = await runToEnd(() => playIn(story))
  clearInterval(waiting)
  if (failure) console.error(`\nThe demo failed: ${failure.message}`)
  else print(`\n${farewell}`)
  process.exit(failure ? 1 : 0)
}

async function playIn(story: (folder: string) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'signet-demo-'))
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
  await story(folder)
}

/** Starts Signet on an empty folder. `call` acts for the organization that the first start makes. */
export async function startSignet(folder: string, settings: Settings) {
  const signet = start('server/src/main.ts', { SIGNET_DATA_DIR: join(folder, 'data'), ...settings })
  await signet.until(/^Ready/m)
  // Line by line, because a log line may come between any two.
  const read = async (name: string) => {
    const [line, value = ''] = await signet.until(new RegExp(`^${name}: (.*)$`, 'm'))
    show(line)
    return value
  }
  const [baseUrl, organizationId] = [await read('Base URL'), await read('Organization ID')]
  const headers = { 'Service-OrgID': organizationId, 'Service-API-Key': await read('API key') }
  return { signet, baseUrl, organizationId, call: caller(baseUrl, headers, show) }
}

/** Starts the receiver of examples/receiver, for events. */
export async function startReceiver(
  baseUrl: string,
  organizationId: string,
  targetUrl: string,
  { certificate, privateKey }: CertificateFiles,
): Promise<Program> {
  const own = { SIGNET: baseUrl, ORG: organizationId, TARGET_URL: targetUrl }
  const receiver = start('examples/receiver/receiver.ts', { ...own, CERTIFICATE: certificate, PRIVATE_KEY: privateKey })
  show(...(await receiver.until(/^Listening: .*$/m)))
  return receiver
}

/** The event that the receiver accepted, as it printed it. Throws when it refused one, or Signet reports a failed attempt. */
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

/** Node runs `args`, by default the file `name`. */
export function start(name: string, settings: Settings, args?: string[]): Program {
  return run(name, { env: { PATH: process.env.PATH, ...settings }, ...(args && { args }) })
}

export function step(text: string) {
  steps++
  clearInterval(waiting)
  print(`\n${styleText(['bold', 'cyan'], wrapped(`${steps}. ${text}`, ''))}`)
  waiting = setInterval(showWaiting, 1_000, performance.now()).unref()
}

/** Shows at a terminal that a step goes on, in a line that the next line replaces. */
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
  // JSON without spaces may break after a comma.
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
