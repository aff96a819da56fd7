import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const lookEveryMs = 250

/** Makes the file, once no living process has it; whoever made it removes it. One that is held longer than `longestMs` counts as left behind. */
export async function takeLock(lock: string, longestMs: number, signal: AbortSignal | undefined) {
  for (const giveUpAt = Date.now() + longestMs; ; await sleep(lookEveryMs, undefined, signal && { signal }))
    try {
      return writeFileSync(lock, `${process.pid}`, { flag: 'wx' })
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error
      if (Date.now() > giveUpAt || !holderLives(lock)) rmSync(lock, { force: true })
    }
}

function holderLives(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, 'utf8'))
    // Made a moment ago, and not written yet.
    return pid === 0 || process.kill(pid, 0)
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}
