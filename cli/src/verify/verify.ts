import type { Context } from '../context.ts'
import { CommandError, exitCodes } from '../failure.ts'
import { readIssuer } from '../issuer.ts'
import { printable } from '../output.ts'
import { type Check, check } from './checks.ts'

/** More than a webhook can have. */
const maxBytes = 1_048_576

export async function verify(context: Context, given: string, options: { targetUrl?: string }) {
  const token = given === '-' ? await readInput() : given.trim()
  const { url, organizationId, signet } = context.connectWithoutKey()
  const [issuer, { keys }] = await Promise.all([readIssuer(url, organizationId), signet.getVerificationKeys()])
  const results = check(token, { issuer, organizationId, keys, ...options })
  const { output } = context
  const { green, red, dim } = output.colors
  const marks = { ok: green('ok     '), failed: red('FAILED '), skipped: dim('skipped') }
  for (const result of results)
    await output.show(
      { type: 'check', ...result },
      `${marks[result.result]} ${printable(`${result.check}: ${result.reason}`)}`,
    )
  const failed = results.filter(({ result }) => result === 'failed')
  if (failed.length > 0)
    throw new CommandError(`The token is not valid: ${failed.map(({ check }) => check).join(', ')}${hintFor(failed)}`)
}

/** Keys and name both belong to the organization. */
const hintFor = (failed: Check[]) =>
  ['aud', 'kid'].every((name) => failed.some(({ check }) => check === name))
    ? '. It is of another organization, or --organization is wrong'
    : ''

async function readInput(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk
    if (text.length > maxBytes) throw tooLong()
  }
  return text.trim()
}

const tooLong = () => new CommandError(`standard input: has more than ${maxBytes} characters`, exitCodes.usage)
