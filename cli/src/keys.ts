import type { Context, Register } from './context.ts'
import { examples } from './examples.ts'
import { printable } from './output.ts'

export const registerKeys: Register = (program, contextOf) => {
  const command = program.command('keys').description('List the keys that verify webhooks.')
  command.addHelpText('after', examples('signet keys', 'signet keys --json')).action(() => listKeys(contextOf(command)))
}

/** The set as receivers get it, in its order. */
async function listKeys({ connectWithoutKey, output }: Context) {
  const { signet } = connectWithoutKey()
  const { keys } = await signet.getVerificationKeys()
  for (const key of keys) await output.show({ type: 'key', ...key }, printable(`${key.kid} ${key.alg} ${key.use}`))
}
