import { examples, type Register } from '@signet/cli'
import { argumentsOfNode } from '../arguments-of-node.ts'
import { continueAs } from './in-place.ts'
import { readSettings } from './settings.ts'

export const registerStart: Register = (program) => {
  program
    .command('start')
    .description('Start the service, with the settings of the environment, until Ctrl-C.')
    .addHelpText('after', examples('signet start'))
    .action(async () => {
      await readSettings()
      continueAs(argumentsOfNode)
    })
}
