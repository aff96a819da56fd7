import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../../ground/keys/index.ts'
import { wrongArgument } from '../../ground/runtime/wrong-argument.ts'

/**
 * Two codes that only the former cell can make. It writes the receipt into the sealed file, so that whoever knows it has imported the
 * organization; and it tells the start code only once it has given the organization up. Both travel with the id of the import: a file may be
 * imported by several cells, and only one of them may serve.
 */
type Code = 'receipt' | 'start code'

const codeUnder = (secret: Buffer, moveId: string, code: Code) =>
  createHmac('sha256', secret).update(`${code} ${moveId}`).digest('hex').slice(0, 32)

const secretsOf = (keyring: Keyring) => keyring.derive('moves of organizations')

/** Under the first master key. */
export const makeCode = (keyring: Keyring, moveId: string, code: Code): string =>
  codeUnder(secretsOf(keyring)[0] as Buffer, moveId, code)

/**
 * Under the master key that this receipt was made under: their order may have changed meanwhile. Undefined: the receipt is not that of
 * the move.
 */
export function startCodeFor(keyring: Keyring, moveId: string, receipt: string): string | undefined {
  const secret = secretsOf(keyring).find((each) => isSame(codeUnder(each, moveId, 'receipt'), receipt))
  return secret && codeUnder(secret, moveId, 'start code')
}

/** A code with the import that it is for, as people carry it from cell to cell. */
export const codeFor = (code: string, importId: string) => `${code}${importId.replaceAll('-', '')}`

const form = /^([0-9a-f]{32})([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/

/** Throws where it is none; `name` is for the message. */
export function readCode(given: string, name: Code): { code: string; importId: string } {
  const [, code, ...parts] = form.exec(given) ?? []
  if (!code) throw wrongArgument(`${name}: must be the 64 hexadecimal digits that were printed`)
  return { code, importId: parts.join('-') }
}

const isSame = (expected: string, given: string) =>
  given.length === expected.length && timingSafeEqual(Buffer.from(expected), Buffer.from(given))
