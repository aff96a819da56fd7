import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CommandError, exitCodes, reasonOf } from '../failure.ts'

/** Between two writes: after a crash, at most the events of this time come again. */
const saveEveryMs = 200

/** Whoever gets other events, or hands them to somebody else, has a place of its own. `events` is sorted. */
type Listener = { url: string; organizationId: string; target: string; forwardTo: string; events: string[] }
type Surroundings = { environment: Record<string, string | undefined>; onLost: (reason: string) => void }

/** The last cursor that the receiver answered, in the state folder of the user. */
export function openCursor(listener: Listener, { environment, onLost }: Surroundings) {
  const folder = join(environment.XDG_STATE_HOME || join(homedir(), '.local/state'), 'signet')
  const name = createHash('sha256').update(JSON.stringify(listener)).digest('hex').slice(0, 32)
  const path = join(folder, `listen-${name}.json`)
  let cursor = read(path)
  let timer: NodeJS.Timeout | undefined
  let isLost = false

  const write = () => {
    // Several may listen for one receiver.
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, JSON.stringify({ ...listener, cursor }), { mode: 0o600 })
    renameSync(draft, path)
  }
  const save = () => {
    clearTimeout(timer)
    timer = undefined
    try {
      write()
      isLost = false
    } catch (error) {
      if (!isLost) onLost(reasonOf(error))
      isLost = true
    }
  }
  try {
    makeFolder(folder)
    write()
  } catch (error) {
    const hint = 'set XDG_STATE_HOME to a folder that can be written'
    throw new CommandError(`${folder}: cannot keep the place there (${reasonOf(error)}); ${hint}`, exitCodes.usage)
  }
  return {
    get: () => cursor,
    forget: () => (cursor = ''),
    move: (to: string) => {
      cursor = to
      timer ??= setTimeout(save, saveEveryMs).unref()
    },
    close: () => timer && save(),
  }
}

/** A recursive mkdir never returns where a parent such as /proc takes no folder. */
function makeFolder(folder: string) {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

function read(path: string): string {
  try {
    const { cursor } = JSON.parse(readFileSync(path, 'utf8'))
    return typeof cursor === 'string' && /^[!-~]*$/.test(cursor) ? cursor : ''
  } catch {
    return ''
  }
}
