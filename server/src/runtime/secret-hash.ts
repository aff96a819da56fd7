import { hash } from 'node:crypto'

/** What is stored of a secret of 256 random bits, such as a token or a session's id: nobody can guess what it was made of. */
export const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer')
