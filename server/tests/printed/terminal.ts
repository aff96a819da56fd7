import { spawn } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { nodeOfTheMachine } from '../support/node-of-the-machine.ts'
import { kill } from '../support/program.ts'

export type Terminal = {
  /** Runs a statement, and gives what it, and what runs beside it, has said since; rejects where it fails. */
  paste(statement: string): Promise<string>
  /** Waits until something has said that since the last statement. */
  says(pattern: RegExp): Promise<string>
  /** Runs the statement until something says that because of it. */
  provoke(statement: string, pattern: RegExp): Promise<void>
  /** Ends what was started, but for the shell itself. */
  stopAll(): Promise<void>
  close(): Promise<void>
}

/** A first start in a fresh clone installs, on a machine that may be busy. */
const patienceMs = 600_000

/** The machine's own older Node comes first, and what npm puts before it is left out. */
export function pathOfMachine(): string {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  return [dirname(nodeOfTheMachine() ?? process.execPath), ...folders].join(delimiter)
}

/** A shell in a folder. It ends with the first statement that fails. */
export function openTerminal(cwd: string, environment: Record<string, string>): Terminal {
  const { HOME = '/', USER, LANG } = process.env
  const env = { PATH: pathOfMachine(), HOME, USER, LANG, ...environment }
  const shell = spawn('bash', ['--norc', '-e', '-o', 'pipefail'], { cwd, env, stdio: 'pipe', detached: true })
  let [output, read, count] = ['', 0, 0]
  let listen = () => {}
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk
      listen()
    })
  shell.stdin.on('error', () => {})
  const ended = new Promise<never>((_, reject) => {
    shell.once('exit', (code) => reject(new Error(`the shell ended with ${code}:\n${output}`)))
  })
  ended.catch(() => {})

  const says = async (pattern: RegExp) => {
    const said = new Promise<void>((resolve) => {
      listen = () => pattern.test(output.slice(read)) && resolve()
      listen()
    })
    const late = new Promise<never>((_, reject) => {
      AbortSignal.timeout(patienceMs).onabort = () => reject(new Error(`did not say ${pattern}:\n${output}`))
    })
    await Promise.race([said, ended, late])
    return output.slice(read)
  }

  const paste = (statement: string) => {
    read = output.length
    // What was said before may end without a new line.
    const done = `pasted ${++count};`
    // In braces it cannot read what is pasted after it.
    shell.stdin.write(`{\n${statement}\n} < /dev/null\necho "${done}"\n`)
    return says(new RegExp(done))
  }

  const provoke = async (statement: string, pattern: RegExp) => {
    const from = output.length
    for (let left = 20; left > 0; left--) {
      await paste(statement)
      await new Promise((resolve) => setTimeout(resolve, 500))
      if (pattern.test(output.slice(from))) return
    }
    throw new Error(`did not say ${pattern}:\n${output}`)
  }

  // With what a page makes beside the clone.
  const stopAll = () => endAllIn(dirname(cwd), shell.pid)
  const close = async () => {
    await stopAll()
    kill(-(shell.pid as number))
  }
  return { paste, says, provoke, stopAll, close }
}

const stopsWithinMs = 20_000

/** Ends what works in that folder: first as Ctrl-C would, so that a service stops its PostgreSQL itself. */
async function endAllIn(folder: string, shell?: number) {
  const left = () => processesIn(folder).filter(({ pid }) => pid !== shell)
  const since = performance.now()
  for (const { pid, place } of left()) if (!place.includes('/postgres')) kill(pid, 'SIGTERM')
  while (left().length > 0 && performance.now() - since < stopsWithinMs)
    await new Promise((resolve) => setTimeout(resolve, 50))
  for (const { pid } of left()) kill(pid)
}

/** With the folder that each works in. */
function processesIn(folder: string): { pid: number; place: string }[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((name) => {
    try {
      const place = readlinkSync(`/proc/${name}/cwd`)
      return place === folder || place.startsWith(`${folder}/`) ? [{ pid: Number(name), place }] : []
    } catch {
      return []
    }
  })
}
