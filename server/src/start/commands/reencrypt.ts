import { examples, type Output, type Register } from '@signet/cli'
import type { Reencryption } from '../../operator/installation/index.ts'
import { showProgress } from './progress.ts'
import { readSettings } from './settings.ts'

export const registerReencrypt: Register = (program, contextOf) => {
  const keys = program.commands.find((command) => command.name() === 'keys')
  keys
    ?.command('reencrypt')
    .description('Encrypt all secrets in the database again, under the first key of SIGNET_MASTER_KEY.')
    .addHelpText('after', `\nRun it while the service runs. It can be stopped and run again.`)
    .addHelpText('after', examples('signet keys reencrypt'))
    .action(async (_options, command) => {
      const config = await readSettings()
      const { output } = contextOf(command)
      const { withCell } = await import('./cell.ts')
      const { reencrypt } = await import('../../operator/installation/index.ts')
      const { show, end } = showProgress(output)
      const onProgress = (done: number) => show({ done }, `Re-encrypted so far: ${done}`)
      await report(await withCell(config, (cell) => reencrypt({ ...cell, onProgress })).finally(end), output)
    })
}

/** Throws an Error with readable lines while values are left under another master key. */
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
