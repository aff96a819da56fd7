import type { Config } from '../config.ts'
import { openDatabase } from '../database/database.ts'
import { type Reencryption, reencrypt } from '../installation/index.ts'
import { runningClock } from '../runtime/clock.ts'
import { connectionTo, keyringOf } from './cell-of.ts'
import type { Output } from './command-output.ts'

/** Between two progress lines. */
const progressEveryMs = 1_000

/**
 * `signet keys reencrypt`, while the service runs. Prints progress lines, and at the end how many values are left; throws an
 * Error with readable lines when that is not 0.
 */
export async function reencryptSecrets(config: Config, output: Output) {
  const database = openDatabase(connectionTo(config))
  try {
    await report(await reencrypt({ database, keyring: keyringOf(config), onProgress: progressPrinter(output) }), output)
  } finally {
    await database.close()
  }
}

function progressPrinter(output: Output): (done: number) => void {
  const clock = runningClock()
  let printedAt = clock.now()
  return (done) => {
    if (clock.now() - printedAt < progressEveryMs) return
    printedAt = clock.now()
    void output.show({ type: 'progress', done }, `Re-encrypted so far: ${done}`)
  }
}

async function report({ done, left, problems }: Reencryption, output: Output) {
  const result = `Re-encrypted: ${done}. Left under another master key: ${left}.`
  await output.show({ type: 'reencrypted', done, left }, result)
  if (left > 0) {
    const advice = 'The other keys of SIGNET_MASTER_KEY are still needed. Start every process with the new key first'
    throw new Error([...problems, `${advice}, and run this again.`].join('\n'))
  }
  if (output.isJson) return
  await output.line('Once every process runs with the new key first, the others can be removed from SIGNET_MASTER_KEY.')
  await output.line('Keep them with the backups made before.')
}
