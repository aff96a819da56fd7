import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const lookEveryMs = 250
const touchEveryMs = 1_000
/** A lock that was not touched for so long is that of a process that was killed, or sleeps. */
const freshMs = 10_000

type Waiting = {
  /** Held for longer, it counts as left behind. */
  longestMs: number
  signal: AbortSignal | undefined
  /** Called once, where another process has it. */
  onWait: () => void
}

/** Makes the file, once no living process has it. Gives what removes it. */
export async function takeLock(lock: string, { longestMs, signal, onWait }: Waiting): Promise<() => void> {
  const giveUpAt = Date.now() + longestMs
  for (let isTold = false; ; isTold = true)
    try {
      writeFileSync(lock, `${process.pid}`, { flag: 'wx' })
      return keep(lock)
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error
      if (Date.now() > giveUpAt || !holderLives(lock)) rmSync(lock, { force: true })
      else if (!isTold) onWait()
      await sleep(lookEveryMs, undefined, signal && { signal })
    }
}

function keep(lock: string): () => void {
  const touching = setInterval(() => touch(lock), touchEveryMs)
  return () => {
    clearInterval(touching)
    rmSync(lock, { force: true })
  }
}

function touch(lock: string) {
  try {
    utimesSync(lock, new Date(), new Date())
  } catch {
    // Another process took this one for killed.
  }
}

/** The id alone does not tell: another process may have it by now, and in a container each of them has the same. */
function holderLives(lock: string): boolean {
  try {
    if (Math.abs(Date.now() - statSync(lock).mtimeMs) > freshMs) return false
    const pid = Number(readFileSync(lock, 'utf8'))
    // Made a moment ago, and not written yet.
    return pid === 0 || process.kill(pid, 0)
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}
