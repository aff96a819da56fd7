import { hash } from 'node:crypto'

/** The stored form of a secret of 256 random bits, such as a token or a session id, which needs no salt: it cannot be guessed. */
export const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer')
