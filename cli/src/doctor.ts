import type { Register } from './context.ts'
import { examples } from './examples.ts'

export const registerDoctor: Register = (program, contextOf) => {
  const command = program
    .command('doctor')
    .description('Check the service, the way to it and the receivers, and say what to do.')
  command.addHelpText('after', examples('signet doctor', 'signet doctor --json')).action(async () => {
    const { examine } = await import('./doctor/examine.ts')
    await examine(contextOf(command))
  })
}
