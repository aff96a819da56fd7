import { existsSync } from 'node:fs'
import { extname, join } from 'node:path'
import { examples, type Register } from '@signet/cli'
import { continueAs } from './in-place.ts'
import { readSettings, usage } from './settings.ts'

/** The program of `npm run dev`. */
const program = join(import.meta.dirname, `../../../../scripts/dev${extname(import.meta.filename)}`)

export const registerDev: Register = (signet) => {
  signet
    .command('dev')
    .description('Try Signet: start it on ./data with a receiver that prints each event, until Ctrl-C.')
    .addHelpText('after', examples('signet dev'))
    .action(async () => {
      await readSettings()
      if (!existsSync(program)) throw usage('dev: is in a clone and in the package, and not in an image')
      continueAs([program])
    })
}
