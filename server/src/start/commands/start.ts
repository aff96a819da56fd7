import { extname, join } from 'node:path'
import { examples, type Register } from '@signet/cli'
import { readSettings } from './settings.ts'

/** The options of `npm start` in package.json, which says why. */
const optionsOfNode = ['--expose-gc', '--max-semi-space-size=32']

export const registerStart: Register = (program) => {
  program
    .command('start')
    .description('Start the service, with the settings of the environment, until Ctrl-C.')
    .addHelpText('after', examples('signet start'))
    .action(async () => {
      await readSettings()
      const main = join(import.meta.dirname, `../../main${extname(import.meta.filename)}`)
      // In place of this process, so that signals reach the service itself.
      process.execve?.(process.execPath, [process.execPath, ...optionsOfNode, main], process.env)
    })
}
