import { hash } from 'node:crypto'

/**
 * The stored form of a secret of 256 random bits, such as an API key, a token or a session id. Nobody can guess it, so it needs no salt,
 * and no slow hash, for which every request would pay.
 */
export const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer')
