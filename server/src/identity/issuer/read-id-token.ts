import { createLocalJWKSet, jwtVerify } from 'jose'
import type { Clock } from '../../ground/runtime/clock.ts'
import { algorithms, type IssuerKey, toPublic } from './keys/issuer-keys.ts'
import type { createClients } from './library/clients.ts'

/** Gives the subject of an ID token. Undefined: it is not of this issuer for one of its applications, or has expired. */
export type ReadIdToken = (token: string) => Promise<string | undefined>

/** An ID token need not name its type. */
export const isIdToken = (typ: string | undefined) => typ === undefined || typ === 'JWT'

type Dependencies = {
  issuer: string
  /** The published keys. */
  keys: IssuerKey[]
  clock: Clock
  findClient: ReturnType<typeof createClients>['find']
}

/**
 * These keys sign access tokens and logout tokens as well, which say so by their type. A token names who signed in, not whether that person
 * still exists.
 */
export function createReadIdToken({ issuer, keys, clock, findClient }: Dependencies): ReadIdToken {
  const keySet = createLocalJWKSet({ keys: keys.map(toPublic) })
  const verify = (token: string) =>
    jwtVerify(token, keySet, {
      issuer,
      algorithms: [...algorithms],
      currentDate: new Date(clock.now()),
      requiredClaims: ['sub', 'aud', 'iat', 'exp'],
    })
  return async (token) => {
    const claims = await verify(token).then(
      ({ payload, protectedHeader: { typ } }) => (isIdToken(typ) ? payload : undefined),
      () => undefined,
    )
    const isForOurs = typeof claims?.aud === 'string' && (await findClient(claims.aud)) !== undefined
    return isForOurs ? claims.sub : undefined
  }
}
