// Makes an adapter of a receiver that is an HTTP server: runs its command, posts the body of each question to it, and tells by the status
// what it did. The command gets SIGNET, ORG and TARGET_URL, and in STATE an empty folder of its own; it is started anew for each case
// that begins without keys. Its certificate is not looked at.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'

type Question = { id: number; issuer: string; organization_id: string; body: string }
type Running = { issuer: string; child: ChildProcess; folder: string }

const startMs = 30_000
const text = { type: 'string' } as const
const { values, positionals } = parseArgs({
  options: { library: text, version: text, url: text, 'target-url': text },
  allowPositionals: true,
})
const { library, version, url, 'target-url': targetUrl = url } = values
const [program, ...args] = positionals
if (!library || !version || !url || !program)
  throw new Error(
    `Usage: node ${basename(import.meta.filename)} --library <name> --version <version> --url <URL> [--target-url <URL>] -- <command>`,
  )
const place = new URL(url)
let starting: Promise<Running> | undefined
let running: Running | undefined
// However this ends, the receiver does not outlive it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))
process.on('exit', () => {
  running?.child.kill()
  if (running) rmSync(running.folder, { recursive: true, force: true })
})

console.log(JSON.stringify({ library, version, clock: 'own', codes: false, target_url: targetUrl }))
createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const question: Question = JSON.parse(line)
    console.log(JSON.stringify({ id: question.id, ...(await answerTo(question)) }))
  })
  .on('close', async () => stop(await starting))

async function answerTo(question: Question) {
  starting = receiverFor(question, starting)
  await starting
  const status = await post(question.body)
  if (status >= 200 && status < 300) return { result: 'accepted' }
  return { result: 'refused', temporary: status >= 500 }
}

/** Of the questions that come at once the first one starts it. */
async function receiverFor(question: Question, before: Promise<Running> | undefined): Promise<Running> {
  const former = await before
  if (former?.issuer === question.issuer) return former
  await stop(former)
  return start(question)
}

async function start({ issuer, organization_id }: Question): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'signet-receiver-'))
  const given = { SIGNET: issuer, ORG: organization_id, TARGET_URL: String(targetUrl), STATE: folder }
  const child = spawn(String(program), args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...given } })
  running = { issuer, child, folder }
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => {
      said = (said + part).slice(-2_000)
    })
  const end = once(child, 'exit').then(
    () => 'it has ended',
    (error: Error) => error.message,
  )
  const why = await Promise.race([end, isListening()])
  if (why) throw new Error(`The receiver does not listen on ${url}: ${why}\n${said}`)
  return running
}

async function isListening(): Promise<string | undefined> {
  const port = Number(place.port || (place.protocol === 'https:' ? 443 : 80))
  for (const until = Date.now() + startMs; Date.now() < until; await wait(50)) {
    const socket = connect(port, place.hostname)
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return undefined
  }
  return `after ${startMs / 1_000} s`
}

async function stop(former: Running | undefined) {
  if (!former) return
  const { child, folder } = former
  if (child.exitCode === null && child.signalCode === null) {
    child.kill()
    await once(child, 'exit')
  }
  rmSync(folder, { recursive: true, force: true })
}

function post(body: string): Promise<number> {
  const send = place.protocol === 'https:' ? overHttps : overHttp
  const headers = { 'content-type': 'application/jwt', 'content-length': body.length }
  return new Promise((resolve, reject) => {
    const call = send(place, { method: 'POST', headers, agent: false, rejectUnauthorized: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    // It may close the connection while the rest of a giant is still being sent; then its answer is lost.
    const isCutOff = (code = '') => body.length > 1_000_000 && ['ECONNRESET', 'EPIPE'].includes(code)
    call.on('error', (error: NodeJS.ErrnoException) => (isCutOff(error.code) ? resolve(413) : reject(error)))
    call.end(body)
  })
}
