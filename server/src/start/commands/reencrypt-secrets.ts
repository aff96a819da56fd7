import { commandSizes, openDatabase } from '../../ground/database/database.ts'
import { type Reencryption, reencrypt } from '../../operator/installation/index.ts'
import type { Config } from '../config.ts'
import { connectionTo, keyringOf } from './cell-of.ts'
import type { Output } from './command-output.ts'
import { showProgress } from './progress.ts'

/**
 * `signet keys reencrypt`, while the service runs. Shows its progress as `showProgress` does, and in the end how many values are
 * left; throws an Error with readable lines when that is not 0.
 */
export async function reencryptSecrets(config: Config, output: Output) {
  const database = openDatabase(connectionTo(config), commandSizes)
  const progress = showProgress(output)
  const onProgress = (done: number) => progress.show({ done }, `Re-encrypted so far: ${done}`)
  try {
    const result = await reencrypt({ database, keyring: keyringOf(config), onProgress }).finally(progress.end)
    await report(result, output)
  } finally {
    await database.close()
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
