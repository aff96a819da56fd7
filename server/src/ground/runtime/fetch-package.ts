import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { cacheFolderOf, type Fetchable } from './fetchable.ts'
import { takeLock } from './lock-file.ts'
import { megabytes } from './megabytes.ts'
import { makeOwnFolder } from './own-folder.ts'

const longestMs = 900_000
/** A third of Node's package: nothing is compiled here. */
const headers = 'package/include'
const shownEveryMs = process.stderr.isTTY ? 1_000 : 10_000

/**
 * Gives the folder of the package; where it is not there, npm fetches it with the settings of the user, after a line that says what, why
 * and where to. Runs on Node 20. It is unpacked beside its place and then renamed, so that half of one is never used.
 */
export async function fetchPackage(wanted: Fetchable, why: string, signal?: AbortSignal): Promise<string> {
  const place = cacheFolderOf(wanted)
  makeOwnFolder(dirname(place))
  if (existsSync(place)) return place
  return alone(place, signal, async (unfinished) => {
    if (existsSync(place)) return place
    say(announcement(wanted, why, place))
    await download(wanted, unfinished, signal)
    renameSync(join(unfinished, 'package'), place)
    return place
  })
}

const announcement = ({ name, version, packed, unpacked }: Fetchable, why: string, place: string) =>
  `${why}. npm fetches ${name}@${version} once: ${megabytes(packed)}, ${megabytes(unpacked)} unpacked, into ${place}`

const say = (line: string) => process.stderr.write(`${line}\n`)

type Fetch = (unfinished: string) => Promise<string>

/** One process at a time. What a killed one has left is removed; where two find it at once both fetch, and the later rename fails harmlessly. */
async function alone(place: string, signal: AbortSignal | undefined, fetch: Fetch): Promise<string> {
  const lock = `${place}.lock`
  const onWait = () => say(`Another process is fetching what is needed: ${lock}`)
  const unlock = await takeLock(lock, { longestMs, signal, onWait })
  removeUnfinished(place)
  const unfinished = mkdtempSync(`${place}.unfinished-`)
  const leave = () => {
    rmSync(unfinished, { recursive: true, force: true })
    unlock()
  }
  // Ctrl-C may end this process at once.
  process.once('exit', leave)
  try {
    return await fetch(unfinished)
  } catch (error) {
    if (existsSync(place)) return place
    throw error
  } finally {
    process.off('exit', leave)
    leave()
  }
}

function removeUnfinished(place: string) {
  const prefix = `${basename(place)}.unfinished-`
  for (const name of readdirSync(dirname(place)))
    if (name.startsWith(prefix)) rmSync(join(dirname(place), name), { recursive: true, force: true })
}

async function download({ name, version, integrity }: Fetchable, folder: string, signal: AbortSignal | undefined) {
  const spec = `${name}@${version}`
  const shown = showSeconds()
  // `pack` and not `install`: it obeys the .npmrc of the folder in which Signet is started.
  await run(spec, 'npm', ['pack', spec, '--pack-destination', folder, '--ignore-scripts', '--loglevel=error'], signal)
    .then(() => unpack(spec, integrity, folder, signal))
    .finally(shown.end)
}

async function unpack(spec: string, integrity: string, folder: string, signal: AbortSignal | undefined) {
  const packed = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '')
  const digest = createHash('sha512').update(readFileSync(packed)).digest('base64')
  if (integrity !== `sha512-${digest}`)
    throw new Error(`${spec} is not the package that this Signet was made with: its registry gives ${digest}`)
  await run(spec, 'tar', ['-xzf', packed, '-C', folder, '--no-same-owner', `--exclude=${headers}`], signal)
}

function showSeconds() {
  const began = Date.now()
  const [start, end] = process.stderr.isTTY ? ['\r\x1b[K', ''] : ['', '\n']
  const show = () => process.stderr.write(`${start}… ${Math.round((Date.now() - began) / 1_000)} s${end}`)
  const timer = setInterval(show, shownEveryMs)
  return {
    end: () => {
      clearInterval(timer)
      process.stderr.write(start)
    },
  }
}

/** Rejects with the reason that the program gives. */
function run(spec: string, program: string, args: string[], signal: AbortSignal | undefined): Promise<void> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: longestMs,
    ...(signal && { signal }),
  })
  const stop = () => child.kill()
  process.once('exit', stop)
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, 10_000)
  })
  return new Promise<void>((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`${spec} could not be fetched: ${reason}`))
    child.once('error', (error) => (signal?.aborted ? undefined : fail(`${program}: ${error.message}`)))
    child.once('close', (code) => {
      if (signal?.aborted) reject(signal.reason)
      else if (code === 0) resolve()
      else fail(reasonIn(said) || `${program} ended with ${code}`)
    })
  }).finally(() => process.off('exit', stop))
}

/** Without the words that begin each line, and without where the log is. */
const reasonIn = (said: string) =>
  said
    .split('\n')
    .map((line) => line.replace(/^npm (?:error|ERR!) ?/, '').trim())
    .filter((line) => line && !/^code |complete log of this run|debug-\d+\.log/.test(line))
    .slice(0, 3)
    .join('; ')
