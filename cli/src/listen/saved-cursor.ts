import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Between two writes: after a crash, at most the events of this time come again. */
const saveEveryMs = 200

type Listener = { url: string; organizationId: string; target: string }

/** The last cursor that the receiver answered, in the state folder of the user. */
export function openCursor(listener: Listener, environment: Record<string, string | undefined>) {
  const folder = join(environment.XDG_STATE_HOME || join(homedir(), '.local/state'), 'signet')
  const name = createHash('sha256').update(JSON.stringify(listener)).digest('hex').slice(0, 32)
  const path = join(folder, `listen-${name}.json`)
  let cursor = read(path)
  let timer: NodeJS.Timeout | undefined

  const save = () => {
    clearTimeout(timer)
    timer = undefined
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // Several may listen for one receiver.
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, JSON.stringify({ ...listener, cursor }), { mode: 0o600 })
    renameSync(draft, path)
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

function read(path: string): string {
  try {
    const { cursor } = JSON.parse(readFileSync(path, 'utf8'))
    return typeof cursor === 'string' && /^[!-~]*$/.test(cursor) ? cursor : ''
  } catch {
    return ''
  }
}
