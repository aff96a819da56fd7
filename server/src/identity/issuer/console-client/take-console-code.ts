import type { Transaction } from '../../../ground/database/database.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { readOrganizationToken } from '../../../ground/runtime/organization-token.ts'
import { hashOf } from '../../../ground/runtime/secret-hash.ts'
import { issuerOf } from '../addresses.ts'
import { consoleCallbackOf, consoleMaxAge } from './console-client.ts'
import { type ConsolePerson, takeConsoleCode } from './console-code-store.ts'
import { challengeOf, consoleSecretsOf, verifierOf } from './console-cookie.ts'
import { takeConsoleSignIn } from './console-sign-in-store.ts'

/** What a browser brings back to the callback of the console: the query, and its header `Cookie`. */
export type ConsoleReturn = { parameters: URLSearchParams; cookie: string | undefined }

/** `person`: undefined where the answer has no code, or none that is good for this sign-in. `formerHash`: as the browser began it. */
export type ReturnedSignIn = {
  returnTo: string
  formerHash: Buffer | undefined
  person: ConsolePerson | undefined
}

/** `flowMs`: from an authorize request until the person has signed in. */
type Dependencies = { clock: Clock; baseUrl: string; isSecure: boolean; flowMs: number }

/** Which organization the answer is for, and the hash of its state. Undefined: it is none of ours, or of another issuer (RFC 9207). */
export function readConsoleReturn({ parameters }: ConsoleReturn, baseUrl: string) {
  const sent = readOrganizationToken(parameters.get('state') ?? '')
  const isOfIssuer = sent && parameters.get('iss') === issuerOf(baseUrl, sent.organizationId)
  return isOfIssuer ? sent : undefined
}

/**
 * Ends the sign-in that this browser began, and takes its code, in one transaction. Undefined: the browser began none with this state, or it
 * is over. Whatever is wrong with the code, the sign-in is over.
 */
export async function takeConsoleReturn(
  tx: Transaction,
  { organizationId, hash: stateHash }: { organizationId: string; hash: Buffer },
  { parameters, cookie }: ConsoleReturn,
  { clock, baseUrl, isSecure, flowMs }: Dependencies,
): Promise<ReturnedSignIn | undefined> {
  const secrets = consoleSecretsOf(cookie, stateHash, isSecure)
  const now = toTimestamp(clock.now())
  const looked = { stateHash, secretHashes: secrets.map(hashOf), now }
  const signIn = await takeConsoleSignIn(tx, organizationId, looked)
  const secret = secrets.find((each) => signIn && hashOf(each).equals(signIn.secretHash))
  if (!signIn || secret === undefined) return undefined
  const code = parameters.get('code')
  const challenge = challengeOf(verifierOf(secret))
  const times = { now, authenticatedSince: toTimestamp(clock.now() - consoleMaxAge * 1_000 - flowMs) }
  const taken = { codeHash: hashOf(code ?? ''), challenge, redirectUri: consoleCallbackOf(baseUrl), ...times }
  const person = code === null ? undefined : await takeConsoleCode(tx, organizationId, taken)
  return { returnTo: signIn.returnTo, formerHash: signIn.formerHash ?? undefined, person }
}
