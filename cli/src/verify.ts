import type { Register } from './context.ts'
import { examples } from './examples.ts'

export const registerVerify: Register = (program, contextOf) => {
  const command = program.command('verify').description('Make every check of a webhook, and tell the result of each.')
  command
    .argument(
      '<token>',
      'the body of the webhook; "-" reads it from standard input, where no other user of the machine sees it',
    )
    .option('--target-url <url>', 'the address that received it; without it that check is left out')
    .addHelpText('after', examples('signet verify - --target-url https://app.example/hook < body.jwt'))
    .action(async (token, options) => {
      const { verify } = await import('./verify/verify.ts')
      await verify(contextOf(command), token, options)
    })
}
